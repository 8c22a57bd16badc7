import { ask, expect, test, until } from './daemon';

const more_pages = 100_000;
test.use({ more_pages });

test('with 100 000 pages the first paint waits for no answer of the API', async ({ open, page, daemon }) => {
  await until(async () => (await ask<{ total: number }>(daemon, '/pages?limit=1')).total > more_pages);
  let let_go = () => undefined as void;
  const held = new Promise<void>((gone) => (let_go = gone));
  const painted = () => page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);

  // As it is: how long it took is told, not judged, because machines differ.
  await open('pages');
  await expect(page.locator('main')).toContainText('article-');
  test.info().annotations.push({ type: 'first paint, ms', description: String(await painted()) });
  console.log(`first paint with ${more_pages} pages: ${Math.round(await painted())} ms`);

  // With every answer held back it comes all the same.
  await page.route('**/api/**', async (route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  await page.reload();
  await expect.poll(painted).toBeGreaterThan(0);
  await expect(page.locator('main')).not.toContainText('article-');
  let_go();
  await expect(page.locator('main')).toContainText('article-');
});

test('of 100 000 pages only those in sight are in the document', async ({ open, page, daemon }) => {
  await until(async () => (await ask<{ total: number }>(daemon, '/pages?limit=1')).total > more_pages);
  await open('pages');
  await expect(page.locator('main')).toContainText('article-');
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(5000);
});
