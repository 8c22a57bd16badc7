import { ask, expect, test, until } from './daemon';

interface Change {
  id: number;
  url: string;
}
const changes = (path = '') => `/changes?limit=200${path}`;

test('the overview moves as polls and changes come', async ({ open, daemon }) => {
  const page = await open();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page.locator('.state')).toContainText('Live');
  const feed = page.locator('.feed li');
  await expect(feed.first()).toBeVisible();
  const before = await feed.first().innerText();
  await expect.poll(() => feed.first().innerText()).not.toBe(before);
  const found = page.locator('.figure', { hasText: 'Changes, last hour' }).locator('strong');
  const count = Number((await found.innerText()).replace(/\D/g, ''));
  await expect.poll(async () => Number((await found.innerText()).replace(/\D/g, ''))).toBeGreaterThan(count);
  expect((await ask<{ changes: Change[] }>(daemon, changes())).changes.length).toBeGreaterThan(0);
});

test('areas of the treemap are the shares of one snapshot', async ({ open, page, daemon }) => {
  interface Part {
    share: number;
    url?: string;
    prefix?: string;
    cells?: Part[];
  }
  const snapshots: { cells: Part[]; total_share: number }[] = [];
  page.on('response', async (response) => {
    if (response.url().includes('/api/v1/tree')) snapshots.push((await response.json()) as (typeof snapshots)[number]);
  });
  await open(`budget?prefix=${encodeURIComponent(daemon.site.url('/'))}`);
  await page.locator('details summary', { hasText: 'table' }).click();
  await expect(page.locator('table.shares tbody tr').nth(5)).toBeVisible();
  const rows = await page.locator('table.shares tbody tr').evaluateAll((all) => all.map((row) => ({ key: row.dataset.key, share: Number(row.dataset.share), area: Number(row.dataset.area) })));
  expect(rows.length).toBeGreaterThan(10);
  for (const { share, area } of rows) expect(Math.abs(area - share)).toBeLessThanOrEqual(0.01 * share + 1e-9);
  expect(rows.reduce((sum, { area }) => sum + area, 0)).toBeCloseTo(1, 3);
  // And the shares of the table are those of one answer of the daemon.
  const same = snapshots.some(({ cells, total_share }) => {
    const told = new Map(cells.flatMap((part) => [part, ...(part.cells ?? [])]).map((cell) => [cell.url ?? cell.prefix, cell.share / total_share]));
    return rows.every(({ key, share }) => Math.abs((told.get(key) ?? -1) - share) <= 0.01 * share);
  });
  expect(same).toBe(true);
});

test('the treemap is used by keyboard: arrows explain, Enter opens', async ({ open, page }) => {
  await open('budget');
  await expect(page.locator('table.shares tbody tr').nth(2)).toBeAttached();
  await page.locator('.treemap').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#treemap-words')).toContainText('of the budget');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/(page\?url=|budget\?prefix=)/);
});

test('search finds pages, and sorting is the server\'s', async ({ open, page }) => {
  await open('pages');
  const rows = page.locator('.vspace .vrow');
  await expect(rows.first()).toBeVisible();
  await page.getByRole('searchbox').fill('calm/7');
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('Calm 7');
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: /^Page/ }).click();
  await expect(page.locator('.vhead [aria-sort=ascending]')).toHaveText(/Page/);
  await expect(rows.first()).toContainText('/broken');
});

test('a change shows its words, and j, k and m go through the list', async ({ open, page, daemon }) => {
  await until(async () => (await ask<{ pages: { polls: number }[] }>(daemon, '/pages?q=calm/3')).pages[0]?.polls);
  daemon.site.change('/calm/3');
  const found = await until(async () => (await ask<{ changes: Change[] }>(daemon, changes('&q=calm/3'))).changes[0]);
  await open(`changes?show=all&id=${found.id}&q=calm/3`);
  await expect(page.locator('.diff ins').first()).toContainText('1');
  await expect(page.locator('.diff del').first()).toContainText('0');
  await page.keyboard.press('m');
  await expect(page.locator('.reader li').first()).toHaveClass('read');
  const read = await ask<{ changes: { read_at: string | null }[] }>(daemon, changes('&q=calm/3'));
  expect(read.changes[0]?.read_at).not.toBeNull();
  await page.getByRole('searchbox').fill('');
  await expect(page.locator('.reader li').nth(1)).toBeVisible();
  const second = await page.locator('.reader li').nth(1).innerText();
  await page.getByRole('heading', { name: 'Changes' }).click();
  await page.locator('.reader li button').first().click();
  await page.keyboard.press('j');
  await expect(page.locator('.reader [aria-current]')).toContainText(second.split('\n')[0] ?? '');
});

test('a change that the list leaves out is shown all the same, and another page never in the place of one', async ({ open, page, daemon }) => {
  const found = await until(async () => (await ask<{ changes: Change[] }>(daemon, changes('&q=busy/1'))).changes.at(-1));
  await open(`changes?show=all&q=calm&id=${found.id}`);
  await expect(page.locator('.detail')).toContainText(found.url);
  await page.evaluate(() => void (location.hash = '#/changes?show=all&id=999999999'));
  await expect(page.locator('.note')).toContainText('not kept');
  const view = (path: string) => page.evaluate((url) => void (location.hash = `#/page?url=${encodeURIComponent(url)}`), daemon.site.url(path));
  await view('/calm/2');
  await expect(page.getByRole('heading', { name: 'Calm 2' })).toBeVisible();
  await view('/nobody/watches');
  await expect(page.locator('main')).toContainText('This page is not watched');
});

test('words marked as noise become a rule of the page', async ({ open, page, daemon }) => {
  daemon.site.change('/calm/4');
  const found = await until(async () => (await ask<{ changes: Change[] }>(daemon, changes('&q=calm/4'))).changes[0]);
  await open(`changes?show=all&id=${found.id}&q=calm/4`);
  await expect(page.locator('.diff ins').first()).toBeVisible();
  await page.keyboard.press('n');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Words' }).fill('Visitors so far: 1001');
  await expect(page.getByRole('dialog').locator('.preview')).toContainText('It hides');
  await page.getByRole('button', { name: 'Leave it out from now on' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  const one = await ask<{ overrides: { content?: unknown } | null }>(daemon, `/pages/one?url=${encodeURIComponent(found.url)}`);
  expect(one.overrides?.content).toBeTruthy();
});

test('pages are paused, resumed and made important in bulk', async ({ open, page, daemon }) => {
  const state = async () => (await ask<{ pages: { state: string; importance: number }[] }>(daemon, '/pages?q=calm/9')).pages[0];
  await open('pages?q=calm/9');
  const row = page.locator('.vspace .vrow');
  await expect(row).toHaveCount(1);
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(row).toContainText('paused');
  expect((await state())?.state).toBe('paused');
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(row).not.toContainText('paused');
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Importance' }).click();
  await page.getByRole('dialog').getByLabel('Importance').last().fill('5');
  await page.getByRole('button', { name: 'Set importance' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  expect((await state())?.importance).toBe(5);
});

test('what if: twice the budget finds more, and applying it sets it', async ({ open, page, daemon }) => {
  await until(async () => (await ask<{ changes: Change[] }>(daemon, changes())).changes.length > 10);
  await open('whatif');
  await page.getByRole('button', { name: '× 2' }).click();
  await expect(page.locator('.big')).toHaveText('40 per s');
  const told = page.locator('.figure', { hasText: 'Changes found per day' });
  await expect(told).toContainText('+');
  await page.getByRole('button', { name: 'Apply this budget' }).click();
  await page.getByRole('button', { name: 'Set the budget' }).click();
  await expect(page.locator('.state')).toContainText('40 per s');
  expect((await ask<{ budget: number }>(daemon, '/status')).budget).toBe(40);
});

test('pages are added after a look at what will happen', async ({ open, page, daemon }) => {
  await open('add');
  await page.locator('textarea').fill(`${daemon.site.url('/calm/50')} Fifty\n${daemon.site.url('/calm/1')}\nno url at all`);
  await expect(page.locator('.badge.good')).toHaveText('1 new');
  await page.getByRole('button', { name: 'Watch 1 page' }).click();
  await until(async () => (await ask<{ pages: unknown[] }>(daemon, '/pages?q=calm/50')).pages.length === 1);
});

test('rules are tried on the page before they are saved', async ({ open, page, daemon }) => {
  await open(`page?url=${encodeURIComponent(daemon.site.url('/calm/3'))}`);
  const rules = page.locator('textarea');
  await rules.fill('{ "select": ["h1"] }');
  const preview = page.locator('.preview');
  await expect(preview).toContainText('h1 finds 1', { timeout: 60_000 });
  await rules.fill('{ "pipe": ["touch", "/tmp/never"] }');
  await expect(page.locator('.trouble, [role=alert]', { hasText: 'configuration files only' }).first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
});

test('the lab replays what was recorded, for each policy a row', async ({ open, page, daemon }) => {
  await until(async () => (await ask<{ changes: Change[] }>(daemon, changes())).changes.length > 5);
  await open('lab');
  for (const policy of ['htraa', 'uniform']) {
    await page.locator('select[name=policy]').selectOption(policy);
    await page.getByRole('button', { name: 'Replay' }).click();
    await expect(page.locator('tbody tr th', { hasText: policy })).toBeVisible({ timeout: 60_000 });
  }
  await expect(page.locator('tbody tr')).toHaveCount(2);
});
