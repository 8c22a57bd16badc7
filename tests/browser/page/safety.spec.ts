import { ask, expect, test, until } from './daemon';
import { hostile_title } from './site';

test('what a page says is text, whatever it says', async ({ open, page, daemon }) => {
  const url = daemon.site.url('/hostile');
  await until(async () => (await ask<{ pages: { polls: number }[] }>(daemon, '/pages?q=hostile')).pages[0]?.polls);
  daemon.site.change('/hostile');
  const found = await until(async () => (await ask<{ changes: { id: number }[] }>(daemon, '/changes?q=hostile')).changes[0]);
  for (const view of ['pages?q=hostile', `page?url=${encodeURIComponent(url)}`, `changes?show=all&id=${found.id}&q=hostile`, 'budget', '']) {
    await open(view);
    await expect(page.locator('main h1').first()).toBeVisible();
    await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined); // events never end
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect((await page.locator('main').innerText()).includes('\u202e')).toBe(false);
  }
  await open(`page?url=${encodeURIComponent(url)}`);
  await expect(page.locator('h1')).toContainText(hostile_title.slice(0, 20));
});

test('a thousand events leave no memory behind', async ({ open, page }) => {
  await open();
  await expect(page.locator('.feed li').first()).toBeVisible();
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  // Events as the leading tab passes them on, so that the number is known.
  const send = (count: number) =>
    page.evaluate(async (wanted) => {
      const channel = new BroadcastChannel(`pollux ${new URL('.', location.href).pathname}`);
      for (let at = 0; at < wanted; at += 50) {
        const events = Array.from({ length: 50 }, (_, index) => ({ what: index % 5 === 0 ? 'change' : 'poll', id: 1e6 + at + index + Math.random(), at: new Date().toISOString(), url: `http://x/${at + index}`, name: null, outcome: 'same', summary: 'words '.repeat(20) }));
        channel.postMessage({ kind: 'events', events });
        await new Promise((later) => setTimeout(later, 20));
      }
      channel.close();
    }, count);
  const used = async () => {
    for (let turn = 0; turn < 3; ++turn) await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return { bytes: usedSize, nodes: await page.evaluate(() => document.querySelectorAll('*').length) };
  };
  await send(1000);
  const before = await used();
  await send(1000);
  const after = await used();
  expect(after.nodes).toBeLessThan(before.nodes + 50);
  expect(after.bytes).toBeLessThan(before.bytes + 1_000_000);
});

test('two tabs share one stream of events', async ({ open, page, context, daemon }) => {
  await open();
  await expect(page.locator('.state')).toContainText('Live');
  const other = await context.newPage();
  const streams: string[] = [];
  other.on('request', (request) => {
    if (request.url().includes('/api/v1/events')) streams.push(request.url());
  });
  await other.goto(daemon.address);
  await expect(other.locator('.state')).toContainText('Live');
  expect(streams).toEqual([]);
  await page.close();
  await expect.poll(() => streams.length).toBe(1); // the one that is left takes over
  await other.close();
});
