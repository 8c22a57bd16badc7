// The real daemon with its page, watching the site of the tests; one per file of tests.
import { test as base, expect, type Page } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostile_title, Site } from './site';

const program = process.env.POLLUX ?? '../../../build/release/pollux';
export const password = 'correct horse battery';

export interface Daemon {
  address: string;
  site: Site;
  errors: string[]; // of the page: exceptions, refusals of the content policy
  foreign: string[]; // requests to other hosts
}

async function free_port(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((ready) => probe.listen(0, '127.0.0.1', ready));
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

function configuration(folder: string, port: number, site: Site, with_password: boolean, more_pages: number): string {
  const pages = [
    ...[1, 2, 3, 5, 8, 13, 21, 34].map((slowness) => ({ url: site.url(`/busy/${slowness}`), tags: ['busy'] })),
    ...Array.from({ length: 12 }, (_, at) => ({ url: site.url(`/calm/${at + 1}`), name: `Calm ${at + 1}`, tags: ['calm'] })),
    { url: site.url('/hostile'), name: hostile_title, tags: ['<i>tag</i>'] },
    { url: site.url('/broken'), tags: ['broken'] },
  ];
  return JSON.stringify({
    budget: 20,
    database: join(folder, 'pollux.db'),
    defaults: { min_interval: '200ms', timeout: '5s' },
    hosts: { delay: '0s', connections: 8, robots: 'ignore' },
    network: { allow: ['127.0.0.0/8'] },
    storage: { backup_every: '0s' },
    log: { level: 'warn' },
    web: { listen: `127.0.0.1:${port}`, ...(with_password ? { password_file: join(folder, 'password') } : {}) },
    pages,
    ...(more_pages > 0 ? { pages_file: join(folder, 'more.txt') } : {}),
  });
}

async function answers(address: string, child: ChildProcess): Promise<void> {
  for (let turn = 0; turn < 600; ++turn) {
    if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`);
    const fine = await fetch(`${address}api/v1/session`).then((response) => response.ok, () => false);
    if (fine) return;
    await new Promise((later) => setTimeout(later, 100));
  }
  throw new Error('the daemon does not answer');
}

export const test = base.extend<{ open: (view?: string) => Promise<Page> }, { with_password: boolean; more_pages: number; daemon: Daemon }>({
  with_password: [false, { option: true, scope: 'worker' }],
  more_pages: [0, { option: true, scope: 'worker' }],
  daemon: [
    async ({ with_password, more_pages }, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'pollux-page-'));
      const site = new Site();
      await site.start();
      const port = await free_port();
      writeFileSync(join(folder, 'password'), `${password}\n`, { mode: 0o600 });
      writeFileSync(join(folder, 'pollux.yaml'), configuration(folder, port, site, with_password, more_pages));
      writeFileSync(join(folder, 'more.txt'), Array.from({ length: more_pages }, (_, at) => `${site.url(`/calm/section-${at % 97}/article-${at}`)}\n`).join(''));
      const child = spawn(program, ['run', '--config', join(folder, 'pollux.yaml')], { stdio: ['ignore', 'inherit', 'inherit'] });
      const address = `http://127.0.0.1:${port}/`;
      try {
        await answers(address, child);
        await use({ address, site, errors: [], foreign: [] });
      } finally {
        const ended = new Promise((gone) => child.once('exit', gone));
        if (child.exitCode === null && child.kill('SIGTERM')) await ended;
        site.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    { scope: 'worker' },
  ],
  // Opens a view; at the end of the test nothing may have gone wrong in the page, and nothing gone elsewhere.
  open: async ({ page, daemon }, use) => {
    daemon.errors.length = daemon.foreign.length = 0;
    page.on('pageerror', (error) => daemon.errors.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|TrustedHTML/.test(message.text())) daemon.errors.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(daemon.address) && !request.url().startsWith('data:')) daemon.foreign.push(request.url());
    });
    await use(async (view = '') => {
      await page.goto(`${daemon.address}#/${view}`);
      return page;
    });
    expect(daemon.errors).toEqual([]);
    expect(daemon.foreign).toEqual([]);
  },
});

export { expect };

// What the API says.
export async function ask<Answer>(daemon: Daemon, path: string): Promise<Answer> {
  const response = await fetch(`${daemon.address}api/v1${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as Answer;
}

// Waits until `seen` has something: a page's first change takes as long as its polls.
export async function until<Answer>(seen: () => Promise<Answer | null | undefined | false>): Promise<Answer> {
  let found: Answer | null | undefined | false;
  await expect.poll(async () => Boolean((found = await seen())), { timeout: 90_000, intervals: [250] }).toBe(true);
  return found as Answer;
}
