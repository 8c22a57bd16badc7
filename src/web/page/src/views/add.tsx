// New pages by paste, file or URL, with a look at what will happen before it does.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { may_steer, post, type Problem } from '../api';
import { number, plural } from '../format';
import { useSettled } from '../hooks';
import { link, place } from '../route';
import type { Steered } from '../types';
import { Empty, Foreign, Panel, tell, Trouble } from '../ui';

const most_pages = 10000; // of one paste; a configuration file takes more
const most_bytes = 4 << 20;

interface Wanted {
  url: string;
  name?: string;
  tags?: string[];
}

// A URL per line, then a name; '#' begins a comment. Anything else that holds URLs works, too: they are found in it.
export function read_list(text: string, tags: string[]): Wanted[] {
  const found = new Map<string, Wanted>();
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const plain = /^(\S+)(?:\s+(.*))?$/.exec(line);
    const urls = line.match(/https?:\/\/[^\s"'<>]+/gi) ?? [];
    const first = plain?.[1] ?? '';
    const add = (url: string, name = '') => {
      const page: Wanted = { url };
      if (name) page.name = name;
      if (tags.length > 0) page.tags = tags;
      if (!found.has(url) && found.size < most_pages) found.set(url, page);
    };
    if (/^https?:\/\//i.test(first) && urls.length === 1) add(first, (plain?.[2] ?? '').trim().slice(0, 200));
    else if (urls.length > 0) urls.forEach((url) => add(url));
    else if (/^[\w-]+(\.[\w-]+)+(:\d+)?(\/\S*)?$/.test(first)) add(`https://${first}`, (plain?.[2] ?? '').trim().slice(0, 200));
    else add(first);
  }
  return [...found.values()];
}

function Preview({ result }: { result: Steered }) {
  return (
    <div aria-live="polite">
      <p class="row">
        <span class="badge good">{number(result.done)} new</span>
        <span class="badge quiet">{number(result.unchanged)} known already</span>
        <span class={`badge ${result.refused > 0 ? 'bad' : 'quiet'}`}>{number(result.refused)} refused</span>
      </p>
      <div class="scroll" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">What happens</th>
            </tr>
          </thead>
          <tbody>
            {result.pages.slice(0, 300).map(({ url, what, why }) => (
              <tr key={url}>
                <td>
                  <Foreign text={url} most={100} />
                </td>
                <td class={what === 'refused' ? 'warn-text' : ''}>
                  {what}
                  {why && (
                    <>
                      : <Foreign text={why} />
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

export function Add() {
  const [text, set_text] = useState(place.value.query.get('url') ?? '');
  const [tags, set_tags] = useState('');
  const [result, set_result] = useState<Steered | null>(null);
  const [problem, set_problem] = useState<Problem | null>(null);
  const settled = useSettled(`${tags}\n${text}`, 400);
  const pages = useMemo(() => {
    const [first = '', ...rest] = settled.split('\n');
    return read_list(rest.join('\n'), first.split(',').map((tag) => tag.trim()).filter(Boolean));
  }, [settled]);
  useEffect(() => {
    set_problem(null);
    if (pages.length === 0 || !may_steer()) return set_result(null);
    let gone = false;
    post<Steered>('/pages', { pages, dry_run: true }).then(
      (answer) => !gone && set_result(answer),
      (error: Problem) => !gone && (set_result(null), set_problem(error)),
    );
    return () => {
      gone = true;
    };
  }, [pages]);
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > most_bytes) return tell('The file is larger than 4 MB; list it as pages_file in the configuration.', true);
    set_text(await file.text());
  };
  const add = async () => {
    try {
      const done = await post<Steered>('/pages', { pages });
      tell(`${plural(done.done, 'page')} added.`);
      set_text('');
      set_result(null);
    } catch (error) {
      set_problem(error as Problem);
    }
  };
  return (
    <>
      <div class="heading">
        <div>
          <h1>Add pages</h1>
          <p>They are watched at once, beside those of the configuration, and share the same budget.</p>
        </div>
      </div>
      <div class="columns">
        <Panel title="Which?">
          <div
            class="stack"
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              void take(event.dataTransfer?.files[0]);
            }}
          >
            <label class="stacked">
              <span>A URL per line, with a name behind it if you like</span>
              <textarea rows={10} name="urls" placeholder={'https://example.org/news  The news\nexample.org/prices'} value={text} onInput={(event) => set_text(event.currentTarget.value)} />
            </label>
            <label class="stacked">
              <span>Or a file: text, CSV, OPML, bookmarks; every address in it is taken</span>
              <input type="file" accept=".txt,.csv,.opml,.xml,.html,.urls,text/*" onChange={(event) => void take(event.currentTarget.files?.[0])} />
            </label>
            <label class="stacked">
              <span>Tags for all of them</span>
              <input name="tags" placeholder="news, shops" value={tags} onInput={(event) => set_tags(event.currentTarget.value)} />
            </label>
            {problem && <Trouble problem={problem} />}
            <div class="row">
              <button type="button" class="main" disabled={!result || result.done === 0} onClick={() => void add()}>
                {result && result.done > 0 ? `Watch ${plural(result.done, 'page')}` : 'Watch'}
              </button>
              <a class="button" href={link('pages')}>
                All pages
              </a>
            </div>
            {!may_steer() && <p class="warn-text">This log-in may only read.</p>}
          </div>
        </Panel>
        <Panel title="What will be watched">
          {result ? <Preview result={result} /> : <Empty title="Nothing yet">As you type, the daemon says here what it would do.</Empty>}
        </Panel>
      </div>
    </>
  );
}
