import AxeBuilder from '@axe-core/playwright';
import { join } from 'node:path';
import { expect, test } from './daemon';

const views = ['', 'budget', 'changes?show=all', 'pages', 'whatif', 'lab', 'add'];
const shots = process.env.POLLUX_TEST_OUT ?? 'test-results';

for (const scheme of ['light', 'dark'] as const) {
  test(`axe finds nothing serious, ${scheme}`, async ({ open, page }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    for (const view of views) {
      await open(view);
      await expect(page.locator('main h1')).toBeVisible();
      await page.waitForTimeout(700); // what is asked for is there, or not
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => `${view}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
      await page.screenshot({ path: join(shots, `${(view || 'overview').replace(/\W.*/, '')}-${scheme}.png`) });
    }
  });
}

test('everything is reached by keyboard alone', async ({ open, page }) => {
  await open();
  await expect(page.locator('.feed li').first()).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByText('Skip to content')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
  await page.keyboard.press('4');
  await expect(page.getByRole('heading', { name: 'Pages', exact: true })).toBeVisible();
  await expect(page.locator('.vrow.here')).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await expect(page.locator('.bulk')).toContainText('1 page selected');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('calm');
  await expect(page.locator('.vspace .vrow').first()).toContainText('Calm');
  await page.keyboard.press('Tab');
  await page.locator('.vscroll').focus();
  await page.keyboard.press('o');
  await expect(page).toHaveURL(/#\/page\?url=/);
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('it fits a phone', async ({ open, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const view of views) {
    await open(view);
    await expect(page.locator('main h1')).toBeVisible();
    await page.waitForTimeout(500);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.screenshot({ path: join(shots, `${(view || 'overview').replace(/\W.*/, '')}-phone.png`) });
  }
  await expect(page.getByRole('navigation', { name: 'Views' })).toBeInViewport();
});
