// Bundles the page into $POLLUX_PAGE_OUT (dist, when unset): index.html, and assets whose names carry
// the hash of their content, each also as .gz and .br.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.env.POLLUX_PAGE_OUT || join(here, 'dist');
const most_bytes = 300_000; // compressed, in all: what may be embedded

export const options = {
  absWorkingDir: here,
  entryPoints: { page: 'src/main.tsx' },
  bundle: true,
  format: 'esm',
  target: ['es2021', 'chrome100', 'firefox100', 'safari15'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  outdir: 'assets',
  write: false,
  logLevel: 'warning',
};

// Name in the page → { name, bytes } with the hash in the name.
export async function bundle(more = {}) {
  const made = await build({ ...options, ...more });
  const files = new Map();
  const add = (name, bytes) => {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
    files.set(`assets/${name}`, { name: `assets/${name.replace(/(\.\w+)$/, `-${hash}$1`)}`, bytes });
  };
  for (const file of made.outputFiles) add(file.path.split('/').pop(), file.contents);
  add('icon.svg', readFileSync(join(here, 'src/icon.svg')));
  let html = readFileSync(join(here, 'index.html'), 'utf8');
  for (const [plain, { name }] of files) html = html.replaceAll(plain, name);
  return [{ name: 'index.html', bytes: Buffer.from(html) }, ...files.values()];
}

function write(files) {
  rmSync(join(out, 'assets'), { recursive: true, force: true });
  mkdirSync(join(out, 'assets'), { recursive: true });
  let smallest = 0;
  for (const { name, bytes } of files) {
    const gzip = gzipSync(bytes, { level: 9 });
    const brotli = brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    });
    writeFileSync(join(out, name), bytes);
    writeFileSync(join(out, `${name}.gz`), gzip);
    writeFileSync(join(out, `${name}.br`), brotli);
    smallest += brotli.length;
    console.log(`${name}: ${bytes.length} bytes, gzip ${gzip.length}, brotli ${brotli.length}`);
  }
  console.log(`compressed: ${smallest} bytes in all`);
  if (smallest > most_bytes) throw new Error(`the page is larger than ${most_bytes} bytes`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) write(await bundle());
