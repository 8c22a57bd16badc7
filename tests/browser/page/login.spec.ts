import { expect, password, test } from './daemon';

test.use({ with_password: true });

test('without the password there is nothing but the log-in; with it, everything; and out again', async ({ open, page, daemon }) => {
  expect((await fetch(`${daemon.address}api/v1/status`)).status).toBe(401);
  await open();
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page.locator('.state')).toContainText('Live');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByLabel('Password')).toBeVisible();
});

test('a second log-in starts nothing twice', async ({ open, page }) => {
  const log_in = async () => {
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await expect(page.locator('.state')).toContainText('Live');
  };
  // A channel to other tabs would also hear another one of the same tab: each event came twice.
  await page.addInitScript(() => {
    const Channel = BroadcastChannel;
    Object.assign(window, { channels: 0 });
    window.BroadcastChannel = class extends Channel {
      constructor(name: string) {
        super(name);
        (window as unknown as { channels: number }).channels += 1;
      }
    };
  });
  let asked = 0;
  page.on('request', (request) => void (asked += request.url().endsWith('/api/v1/status') ? 1 : 0));
  await open();
  await log_in();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByLabel('Password')).toBeVisible();
  asked = 0;
  await log_in();
  await expect.poll(() => asked).toBeGreaterThan(0);
  expect(await page.evaluate(() => (window as unknown as { channels: number }).channels)).toBe(1);
  // The status is asked for every four seconds, once.
  asked = 0;
  await page.waitForTimeout(9000);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(4);
});
