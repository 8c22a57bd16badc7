import { defineConfig } from '@playwright/test';

// The system's own Chromium: nothing is downloaded. Quiet: no connection of the browser's own leaves the machine.
export default defineConfig({
  testDir: '.',
  outputDir: process.env.POLLUX_TEST_OUT ?? 'test-results',
  workers: 1,
  fullyParallel: false,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    viewport: { width: 1360, height: 860 },
    launchOptions: {
      executablePath: process.env.POLLUX_CHROMIUM ?? '/usr/bin/chromium',
      chromiumSandbox: false,
      args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
});
