// A site on loopback whose pages change when a test says so, or every few seconds by themselves.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export const hostile_title = '</title><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">';
export const hostile_words = '<svg onload="window.hacked = 3"></svg> \u202Etxt.exe <b>bold</b>';
const body_bytes = 1 << 20;

export class Site {
  readonly versions = new Map<string, number>();
  private server: Server | null = null;
  private port = 0;

  async start(): Promise<void> {
    const begin = Date.now();
    this.server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://site').pathname;
      const busy = /^\/busy\/(\d+)$/.exec(path);
      const by_itself = busy ? Math.floor((Date.now() - begin) / (700 * Number(busy[1]))) : 0;
      const version = (this.versions.get(path) ?? 0) + by_itself;
      if (path === '/robots.txt') return void response.writeHead(404).end();
      if (path === '/broken') return void response.writeHead(500).end('no');
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end(path === '/hostile' ? hostile(version) : plain(path, version));
    });
    await new Promise<void>((ready) => this.server?.listen(0, '127.0.0.1', ready));
    this.port = (this.server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  change(path: string): void {
    this.versions.set(path, (this.versions.get(path) ?? 0) + 1);
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

function plain(path: string, version: number): string {
  return `<!doctype html><title>Page ${path}</title><h1>Page ${path}</h1><p>The town tells news number ${version} of the harbour.</p><p>Visitors so far: ${1000 + version}</p>`;
}

function hostile(version: number): string {
  return `<!doctype html><title>${escaped(hostile_title)}</title><h1>${escaped(hostile_title)}</h1><p>Turn ${version}: ${escaped(hostile_words)}</p><p>${'long '.repeat(body_bytes / 5)}</p>`;
}
