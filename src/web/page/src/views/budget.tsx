// Where the budget goes: shares as areas, live or as they were.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get } from '../api';
import { ago, clock, duration, figure, percent, plural, rate_per_day, visible } from '../format';
import { useApi } from '../hooks';
import { now, status } from '../live';
import { go, link, place, refine } from '../route';
import { key_of, per_page, rate_limits, scales, type Drawn, type Shade } from '../treemap';
import { TreemapCanvas } from '../treemap_canvas';
import type { Cell, Tree } from '../types';
import { Choice, Empty, Foreign, health_word, Panel, tell_problem, Trouble } from '../ui';

type By = 'host' | 'tag';
const every_ms = 3000;
const frame_ms = 900;
const most_rows = 500;
const none: Cell[] = [];

function name_of(cell: Cell): string {
  if (cell.kind === 'others') return `${plural(cell.pages, 'other page')}`;
  const name = visible(cell.label || cell.prefix || cell.url || '');
  return cell.kind === 'page' ? name : name.replace(/^https?:\/\//, '').replace(/\/$/, '') || name;
}

// A cell in words.
function words(cell: Cell, parent: Cell | null, total: number): string {
  const per_second = status.value?.budget ?? null;
  const part = total > 0 ? cell.share / total : 0;
  const who = cell.kind === 'page' ? name_of(cell) : `${name_of(cell)}, ${plural(cell.pages, 'page')}`;
  let text = `${parent && parent.kind !== 'tag' ? `${name_of(parent)} · ` : ''}${who}: ${percent(cell.share)} of the budget`;
  if (per_second && cell.share > 0) text += `, a poll every ${duration(1 / (cell.share * per_second))}`;
  if (Math.abs(part - cell.share) > 0.002) text += ` (${percent(part)} of what is shown)`;
  if (cell.rate_per_day !== null) text += `. Changes ${rate_per_day(per_page(cell))}${cell.kind === 'page' ? '' : ' per page'}`;
  if (cell.outdated !== null) text += `. Outdated with a chance of ${percent(cell.outdated)}`;
  return `${text}. Health: ${health_word(cell.health)}.`;
}

// Prefixes with their shares as cells; those within another one lie inside of it.
export function nested(shares: { prefix: string; share: number }[], known: Map<string, Cell>): Cell[] {
  const make = ({ prefix, share }: { prefix: string; share: number }): Cell => {
    const like = known.get(prefix);
    return { prefix, label: prefix.replace(/^https?:\/\//, '') || '/', kind: 'dir', pages: 1, rate_per_day: null, outdated: null, health: null, ...like, share, cells: [] };
  };
  const cells: Cell[] = [];
  for (const one of [...shares].sort((a, b) => (a.prefix < b.prefix ? -1 : 1))) {
    const cell = make(one);
    const last = cells[cells.length - 1];
    if (last?.prefix && one.prefix !== last.prefix && one.prefix.startsWith(last.prefix)) last.cells?.push(cell);
    else cells.push(cell);
  }
  for (const cell of cells) {
    const inside = (cell.cells ?? []).filter((one, at, all) => !all.some((other, index) => index !== at && other.prefix !== one.prefix && one.prefix?.startsWith(other.prefix ?? '?')));
    const rest = cell.share - inside.reduce((sum, { share }) => sum + share, 0);
    if (inside.length > 0 && rest > 1e-9) inside.push({ ...cell, prefix: `${cell.prefix} …`, label: 'others', kind: 'others', share: rest, cells: [] });
    cell.cells = inside;
  }
  return cells;
}

// The past: times of the table, and the frame that is shown.
function useReplay(known: Map<string, Cell>) {
  const times = useApi<{ times: string[] }>('/shares', {}, { every_ms: 15000 });
  const [at, set_at] = useState<number | null>(null); // null: live
  const [playing, set_playing] = useState(false);
  const [cells, set_cells] = useState<Cell[] | null>(null);
  const list = times.data?.times ?? [];
  const time = at === null ? null : (list[Math.min(at, list.length - 1)] ?? null);
  const held = useRef(known);
  held.current = known;
  useEffect(() => {
    if (time === null) return set_cells(null);
    const stop = new AbortController();
    get<{ shares: { prefix: string; share: number }[] }>('/shares', { at: time }, stop.signal).then(
      ({ shares }) => set_cells(nested(shares, held.current)),
      (problem: unknown) => !stop.signal.aborted && tell_problem(problem),
    );
    return () => stop.abort();
  }, [time]);
  useEffect(() => {
    if (!playing) return undefined;
    const timer = window.setInterval(() => {
      set_at((before) => {
        const next = (before ?? 0) + 1;
        if (next < list.length) return next;
        set_playing(false);
        return null; // the present comes after the last frame
      });
    }, frame_ms);
    return () => window.clearInterval(timer);
  }, [playing, list.length]);
  return { list, at, set_at, time, playing, set_playing, cells };
}

function Legend({ by, drawn }: { by: Shade; drawn: Drawn[] }) {
  if (by === 'health') {
    return (
      <div class="legend">
        {[
          ['good', 'fine'],
          ['quiet', 'masked or moved'],
          ['warn', 'suspect or noisy'],
          ['bad', 'failing'],
        ].map(([kind, word]) => (
          <span key={kind} class={`swatch ${kind}`}>
            {word}
          </span>
        ))}
      </div>
    );
  }
  const limits = rate_limits(drawn);
  const ends = by === 'rate' ? [rate_per_day(limits[0] ?? null), rate_per_day(limits[limits.length - 1] ?? null)] : ['just seen', 'surely outdated'];
  return (
    <div class="legend">
      <span>{by === 'rate' ? `changes ≤ ${ends[0]}` : ends[0]}</span>
      <svg viewBox="0 0 140 12" width="140" height="12" aria-hidden="true">
        {scales[by].map((fill, step) => (
          <rect key={fill} x={step * 20} width={20} height={12} fill={fill} />
        ))}
      </svg>
      <span>{by === 'rate' ? `≥ ${ends[1]}` : ends[1]}</span>
    </div>
  );
}

function Crumbs({ prefix, by }: { prefix: string; by: By }) {
  if (!prefix) return null;
  return (
    <p class="row">
      <a href={link('budget', { by })}>All {by === 'tag' ? 'tags' : 'hosts'}</a> <span class="faint">›</span> <Foreign text={prefix} most={80} />
    </p>
  );
}

function Table({ drawn, total, open }: { drawn: Drawn[]; total: number; open: (cell: Drawn) => void }) {
  const leaves = drawn.filter(({ leaf }) => leaf).sort((one, other) => other.cell.share - one.cell.share);
  return (
    <details class="panel">
      <summary>The same as a table ({plural(leaves.length, 'row')})</summary>
      <div class="scroll" tabIndex={0}>
        <table class="shares">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col" class="n">
                Pages
              </th>
              <th scope="col" class="n">
                Share
              </th>
              <th scope="col" class="n">
                Area
              </th>
              <th scope="col" class="n">
                Changes
              </th>
              <th scope="col">Health</th>
            </tr>
          </thead>
          <tbody>
            {leaves.slice(0, most_rows).map((one) => (
              <tr key={one.key + (one.parent ? key_of(one.parent) : '')} data-key={one.cell.url ?? one.cell.prefix ?? ''} data-share={total > 0 ? one.cell.share / total : 0} data-area={one.area}>
                <th scope="row">
                  <button type="button" class="linklike" onClick={() => open(one)}>
                    <Foreign text={`${one.parent && one.parent.kind !== 'tag' ? name_of(one.parent) : ''}${name_of(one.cell)}`} most={90} />
                  </button>
                </th>
                <td class="n">{one.cell.pages}</td>
                <td class="n">{percent(one.cell.share)}</td>
                <td class="n">{percent(one.area)}</td>
                <td class="n">{rate_per_day(one.cell.rate_per_day)}</td>
                <td>{health_word(one.cell.health)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {leaves.length > most_rows && <p class="faint small">The {most_rows} largest; open a part for the rest.</p>}
    </details>
  );
}

export function Budget() {
  const prefix = place.value.query.get('prefix') ?? '';
  const by: By = place.value.query.get('by') === 'tag' ? 'tag' : 'host';
  const [shade_by, set_shade] = useState<Shade>('rate');
  const [focus, set_focus] = useState<Drawn | null>(null);
  const [drawn, set_drawn] = useState<Drawn[]>([]);
  const tree = useApi<Tree>('/tree', { prefix, by, depth: 2 }, { every_ms, keep: true });
  const known = useMemo(() => {
    const map = new Map<string, Cell>();
    for (const cell of tree.data?.cells ?? []) {
      for (const inner of [cell, ...(cell.cells ?? [])]) map.set(inner.prefix ?? inner.url ?? '', { ...inner, cells: [] });
    }
    return map;
  }, [tree.data]);
  const replay = useReplay(known);
  const cells = replay.cells ?? tree.data?.cells ?? none;
  const total = useMemo(() => cells.reduce((sum, { share }) => sum + share, 0), [cells]);
  const open = useCallback(
    (one: Drawn) => {
      const { cell, parent } = one;
      replay.set_at(null);
      if (cell.url && cell.kind === 'page') return go('page', { url: cell.url });
      const inner = cell.kind === 'others' ? parent?.prefix : cell.prefix;
      if (inner && inner !== prefix) go('budget', { prefix: inner, by });
      return undefined;
    },
    [prefix, by],
  );
  const at = replay.at === null ? replay.list.length : replay.at;
  return (
    <>
      <div class="heading">
        <div>
          <h1>Where the budget goes</h1>
          <p>
            Every area is a share of {status.value?.budget ? `${figure(status.value.budget)} requests per second` : 'the budget'}: the larger, the more often it is polled. Pollux
            starts evenly and moves polls to where they find changes.
          </p>
        </div>
        <div class="row">
          <Choice<By>
            label="Group by"
            value={by}
            set={(value) => go('budget', { by: value })}
            options={[
              ['host', 'By host'],
              ['tag', 'By tag'],
            ]}
          />
          <Choice<Shade>
            label="Colour"
            value={shade_by}
            set={set_shade}
            options={[
              ['rate', 'Change rate'],
              ['outdated', 'Staleness'],
              ['health', 'Health'],
            ]}
          />
        </div>
      </div>
      {tree.problem && tree.problem.status !== 0 && <Trouble problem={tree.problem} again={tree.again} />}
      <Crumbs prefix={prefix} by={by} />
      {tree.data && cells.length === 0 && (
        <Empty title="Nothing has a share here">
          <p>Shares appear with the first polls.</p>
          <div class="row">
            <a class="button" href={link('add')}>
              Add pages
            </a>
            {prefix && <a class="button" href={link('budget', { by })}>All hosts</a>}
          </div>
        </Empty>
      )}
      <div class="panel map">
        <TreemapCanvas
          cells={cells}
          by={shade_by}
          label={name_of}
          focus={focus?.key ?? null}
          set_focus={set_focus}
          open={open}
          leave={() => prefix && refine({ prefix: null })}
          placed={set_drawn}
        />
        <div class="under">
          <p id="treemap-words" aria-live="polite">
            {focus ? <bdi>{words(focus.cell, focus.parent, total)}</bdi> : <span class="faint">Point at an area to hear about it; click to go inside.</span>}
          </p>
          <Legend by={shade_by} drawn={drawn} />
        </div>
      </div>
      <Panel
        title="How it learnt"
        side={replay.time ? <>{clock(replay.time)} · {ago(replay.time, now.value)}</> : 'now, live'}
      >
        {replay.list.length < 2 ? (
          <p class="faint">The shares are written down now and then; from the second time on they can be replayed here.</p>
        ) : (
          <div class="slider">
            <button
              type="button"
              onClick={() => {
                if (!replay.playing && replay.at === null) replay.set_at(0);
                replay.set_playing(!replay.playing);
              }}
            >
              {replay.playing ? 'Pause' : 'Replay'}
            </button>
            <input
              type="range"
              min={0}
              max={replay.list.length}
              value={at}
              aria-label="Time"
              aria-valuetext={replay.time ? clock(replay.time) : 'now'}
              onInput={(event) => {
                const value = Number(event.currentTarget.value);
                replay.set_playing(false);
                replay.set_at(value >= replay.list.length ? null : value);
              }}
            />
            <button type="button" disabled={replay.at === null} onClick={() => (replay.set_playing(false), replay.set_at(null))}>
              Now
            </button>
          </div>
        )}
      </Panel>
      <Table drawn={drawn} total={total} open={open} />
    </>
  );
}
