// A server for work on the page: bundles anew at every load, and passes what is not the page on to a
// daemon: POLLUX=http://127.0.0.1:8600 npm run dev
import { createServer, request } from 'node:http';
import { bundle } from './build.mjs';

const daemon = new URL(process.env.POLLUX || 'http://127.0.0.1:8600');
const socket = process.env.POLLUX_SOCKET; // a control socket instead; it knows no log-in
const port = Number(process.env.PORT || 8699);
const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
let files = [];

async function page(path, response) {
  if (path === 'index.html') files = await bundle({ minify: false, sourcemap: false });
  const file = files.find(({ name }) => name === path);
  if (!file) return response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': `${types[path.split('.').pop()]}; charset=utf-8`, 'Content-Security-Policy': policy });
  response.end(file.bytes);
}

function pass_on(asked, response) {
  const headers = { ...asked.headers, host: daemon.host };
  if (headers.origin) headers.origin = daemon.origin;
  if (socket) for (const name of ['origin', 'cookie']) delete headers[name];
  const where = socket ? { socketPath: socket } : { host: daemon.hostname, port: daemon.port };
  const onward = request({ ...where, method: asked.method, path: asked.url, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', (error) => response.destroy(error));
  response.on('close', () => onward.destroy());
  asked.pipe(onward);
}

createServer((asked, response) => {
  const path = new URL(asked.url, 'http://page').pathname.slice(1) || 'index.html';
  if (path === 'index.html' || path.startsWith('assets/')) return void page(path, response).catch((error) => response.writeHead(500).end(String(error)));
  return pass_on(asked, response);
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/`));
