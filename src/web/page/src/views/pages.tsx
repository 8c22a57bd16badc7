// All pages: only the rows that are seen exist, however many there are.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Actions } from '../actions';
import { get, reachable } from '../api';
import { figure, number, percent, plural, rate_per_day } from '../format';
import { useKeys, useSettled } from '../hooks';
import { go, link, place, refine } from '../route';
import { Rows } from '../rows';
import type { Page } from '../types';
import { Ago, Empty, Foreign, Health, health_word, Spark, Trouble } from '../ui';

const row_px = 38;
const beyond = 8; // rows above and below what is seen
const most_sparks = 2000;

interface Column {
  key: string; // as the API sorts by it
  words: string;
  kind?: string;
  show: (page: Page) => preact.ComponentChildren;
}

const columns: Column[] = [
  { key: 'share', words: 'Share', kind: 'n', show: (page) => percent(page.planned_share ?? page.share) },
  { key: 'rate', words: 'Changes', kind: 'n wide', show: (page) => rate_per_day(page.change_rate_per_day, page.change_rate_bound) },
  { key: 'changed', words: 'Last change', kind: 'n', show: (page) => <Ago time={page.last_changed_at} /> },
  { key: 'outdated', words: 'Outdated', kind: 'n', show: (page) => (page.outdated_probability === null ? '–' : percent(page.outdated_probability)) },
  { key: 'due', words: 'Next poll', kind: 'n', show: (page) => (page.state === 'active' ? <Ago time={page.next_due_at} future /> : '–') },
  { key: 'importance', words: 'Imp.', kind: 'n slim', show: (page) => figure(page.importance) },
  { key: 'polls', words: 'Polls', kind: 'n slim', show: (page) => number(page.polls) },
  { key: 'health', words: 'Health', show: (page) => <Health health={page.state === 'active' ? page.health : page.state} reason={page.health_reason} /> },
];
const slim_first = new Set(['url', 'host', 'due', 'health']); // sorted upwards at first

function Head({ sort, down }: { sort: string; down: boolean }) {
  const choose = (key: string) => {
    const now_down = key === sort ? !down : !slim_first.has(key);
    refine({ sort: key, order: now_down ? 'desc' : 'asc' });
  };
  const cell = (key: string, words: string, kind = '') => (
    <div role="columnheader" key={key} class={kind} aria-sort={key === sort ? (down ? 'descending' : 'ascending') : 'none'}>
      <button type="button" class="sorter" onClick={() => choose(key)}>
        {words}
        {key === sort ? (down ? ' ↓' : ' ↑') : ''}
      </button>
    </div>
  );
  return (
    <div class="vrow vhead" role="row">
      <div role="columnheader">
        <span class="hidden">Selected</span>
      </div>
      {cell('url', 'Page')}
      <div role="columnheader" class="wide">
        14 days
      </div>
      {columns.map(({ key, words, kind }) => cell(key, words, kind))}
    </div>
  );
}

// Bars of the rows that are seen, asked for once and kept.
function useSparks(seen: (Page | null)[]): Map<number, number[]> {
  const held = useRef(new Map<number, number[]>());
  const [, turn] = useState(0);
  const missing = seen.filter((page): page is Page => page !== null && !held.current.has(page.id)).map(({ id }) => id);
  const wanted = useSettled(missing.join(','), 150);
  useEffect(() => {
    if (wanted === '') return undefined;
    const stop = new AbortController();
    get<{ sparks: Record<string, number[]> }>('/sparks', { ids: wanted.split(',').slice(0, 200).join(',') }, stop.signal).then(
      ({ sparks }) => {
        if (held.current.size > most_sparks) held.current.clear();
        for (const [id, counts] of Object.entries(sparks)) held.current.set(Number(id), counts);
        turn((before) => before + 1);
      },
      () => undefined, // a table without bars is a table
    );
    return () => stop.abort();
  }, [wanted]);
  return held.current;
}

function useRows(turn: number) {
  const { query } = place.value;
  const sort = query.get('sort') ?? 'share';
  const down = (query.get('order') ?? (slim_first.has(sort) ? 'asc' : 'desc')) === 'desc';
  const asked = { q: query.get('q'), tag: query.get('tag'), host: query.get('host'), health: query.get('health'), sort, order: down ? 'desc' : 'asc' };
  const [, redraw] = useState(0);
  const rows = useMemo(() => new Rows(asked, () => redraw((before) => before + 1)), [JSON.stringify(asked), turn]);
  useEffect(() => {
    rows.want(0, 0);
    return () => rows.end();
  }, [rows]);
  const unheard = rows.problem?.status === 0;
  const there = reachable.value;
  useEffect(() => {
    if (there && unheard) rows.again();
  }, [rows, there, unheard]);
  return { rows, sort, down, filtered: Boolean(asked.q || asked.tag || asked.host || asked.health) };
}

const healths = ['ok', 'failing', 'suspect', 'selector', 'moved', 'flapping', 'noisy', 'masked', 'new', 'paused'];

function Filters() {
  const { query } = place.value;
  const [search, set_search] = useState(query.get('q') ?? '');
  const q = useSettled(search, 200);
  useEffect(() => refine({ q }), [q]);
  return (
    <div class="row">
      <input type="search" placeholder="Search URLs" aria-label="Search URLs" value={search} onInput={(event) => set_search(event.currentTarget.value)} />
      <input class="short" placeholder="Tag" aria-label="Tag" value={query.get('tag') ?? ''} onChange={(event) => refine({ tag: event.currentTarget.value })} />
      <select aria-label="Health" value={query.get('health') ?? ''} onChange={(event) => refine({ health: event.currentTarget.value })}>
        <option value="">Any health</option>
        {healths.map((health) => (
          <option key={health} value={health}>
            {health_word(health)}
          </option>
        ))}
      </select>
      <a class="button" href={link('add')}>
        Add pages
      </a>
    </div>
  );
}

export function Pages() {
  const [turn, set_turn] = useState(0);
  const { rows, sort, down, filtered } = useRows(turn);
  const [top, set_top] = useState(0);
  const [at, set_at] = useState(0); // the row that keys act on
  const [selected, select] = useState<Map<string, number>>(new Map()); // URL → importance
  const box = useRef<HTMLDivElement>(null);
  const height = box.current?.clientHeight ?? 600;
  const first = Math.max(0, Math.floor(top / row_px) - beyond);
  const last = Math.min(Math.max(rows.total - 1, 0), Math.ceil((top + height) / row_px) + beyond);
  useEffect(() => rows.want(first, last), [rows, first, last, rows.total]);
  useEffect(() => {
    set_at(0);
    if (box.current) box.current.scrollTop = 0;
  }, [rows]);
  const seen = Array.from({ length: rows.total === 0 ? 0 : last - first + 1 }, (_, index) => rows.row(first + index));
  const sparks = useSparks(seen);
  const toggle = (page: Page) => {
    const next = new Map(selected);
    if (!next.delete(page.url)) next.set(page.url, page.importance);
    select(next);
  };
  const move = (by: number) => {
    const next = Math.max(0, Math.min(rows.total - 1, at + by));
    set_at(next);
    const view = box.current;
    if (!view) return;
    if (next * row_px < view.scrollTop) view.scrollTop = next * row_px;
    if ((next + 2) * row_px > view.scrollTop + view.clientHeight) view.scrollTop = (next + 2) * row_px - view.clientHeight;
  };
  const open = () => {
    const page = rows.row(at);
    if (page) go('page', { url: page.url });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    o: open,
    x: () => {
      const page = rows.row(at);
      if (page) toggle(page);
    },
  });
  const all_known = rows.known();
  const all = all_known.length > 0 && all_known.every(({ url }) => selected.has(url));
  return (
    <>
      <div class="heading">
        <div>
          <h1>Pages</h1>
          <p>{rows.total > 0 ? `${plural(rows.total, 'page')}${filtered ? ' match' : ''}` : ''}</p>
        </div>
        <Filters />
      </div>
      {rows.problem && rows.problem.status !== 0 && <Trouble problem={rows.problem} again={() => set_turn(turn + 1)} />}
      <div class="bulk">
        <label>
          <input type="checkbox" checked={all} onChange={() => select(all ? new Map() : new Map(all_known.map((page) => [page.url, page.importance])))} />
          {selected.size > 0 ? `${plural(selected.size, 'page')} selected` : `Select the ${number(all_known.length)} loaded`}
        </label>
        <Actions
          urls={[...selected.keys()]}
          importance={selected.size === 1 ? ([...selected.values()][0] ?? 1) : 1}
          changed={() => {
            select(new Map());
            set_turn(turn + 1);
          }}
        />
      </div>
      <div class="panel vtable" role="table" aria-label="Pages" aria-rowcount={rows.total + 1}>
        <div class="vscroll" ref={box} onScroll={(event) => set_top(event.currentTarget.scrollTop)} tabIndex={0} role="rowgroup" aria-label="Rows">
          <Head sort={sort} down={down} />
          <div class="vspace" role="presentation" style={{ height: `${rows.total * row_px}px` }}>
            {seen.map((page, index) => {
              const number_of = first + index;
              const place_of = { transform: `translateY(${number_of * row_px}px)` };
              if (!page) return <div key={number_of} class="vrow gap" role="row" style={place_of} />;
              return (
                <div key={number_of} role="row" aria-rowindex={number_of + 2} class={`vrow ${number_of === at ? 'here' : ''} ${page.state !== 'active' ? 'off' : ''}`} style={place_of} onClick={() => set_at(number_of)}>
                  <div role="cell">
                    <input type="checkbox" aria-label={`Select ${page.url}`} checked={selected.has(page.url)} onChange={() => toggle(page)} />
                  </div>
                  <div role="cell" class="name">
                    <a href={link('page', { url: page.url })} title={page.url}>
                      <Foreign text={page.name || page.url.replace(/^https?:\/\//, '')} />
                    </a>
                    {page.tags.slice(0, 3).map((tag) => (
                      <button type="button" class="tag" key={tag} onClick={() => refine({ tag })}>
                        <Foreign text={tag} most={18} />
                      </button>
                    ))}
                  </div>
                  <div role="cell" class="wide">
                    <Spark counts={sparks.get(page.id)} />
                  </div>
                  {columns.map(({ key, kind, show }) => (
                    <div role="cell" key={key} class={kind ?? ''}>
                      {show(page)}
                    </div>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {rows.total === 0 && !rows.problem && (
        <Empty title={filtered ? 'No page matches' : 'No pages'}>
          <div class="row">
            {filtered ? (
              <button type="button" onClick={() => go('pages')}>
                Show all
              </button>
            ) : (
              <a class="button" href={link('add')}>
                Add pages
              </a>
            )}
          </div>
        </Empty>
      )}
    </>
  );
}
