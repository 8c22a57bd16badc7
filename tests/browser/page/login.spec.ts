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
