// A reading list: changes at the left, what changed at the right.
import { useEffect, useRef, useState } from 'preact/hooks';
import { may_steer, post } from '../api';
import { DiffHead, DiffLines } from '../diff';
import { plural } from '../format';
import { useApi, useKeys, useSettled } from '../hooks';
import { listen, unread } from '../live';
import { Noise } from '../noise';
import { link, place, refine } from '../route';
import type { Change, Diff } from '../types';
import { Ago, Choice, Empty, Foreign, Outside, Tags, tell_problem, Trouble } from '../ui';

const at_a_time = 50;
const most = 1000;

function Detail({ change, read, noise }: { change: Change; read: () => void; noise: (diff: Diff | null) => void }) {
  const diff = useApi<Diff>('/diff', { change: change.id });
  const current = diff.data && diff.data.url === change.url ? diff.data : null;
  return (
    <article class="panel detail" aria-label="The change">
      <h2>
        <a href={link('page', { url: change.url })}>
          <Foreign text={change.name || change.url} most={120} />
        </a>
      </h2>
      <p class="small">
        <Outside url={change.url} /> <Tags tags={change.tags} />
      </p>
      <p class="faint small">
        Found <Ago time={change.found_at} />; the poll before it was <Ago time={change.previous_poll_at} />.
      </p>
      <div class="row">
        <button type="button" onClick={read} disabled={!may_steer() || change.read_at !== null}>
          {change.read_at ? 'Read' : 'Mark as read'} <kbd>m</kbd>
        </button>
        <button type="button" onClick={() => noise(current)} disabled={!may_steer()}>
          This is noise <kbd>n</kbd>
        </button>
        <a class="button" href={link('page', { url: change.url })}>
          Why is it polled? <kbd>o</kbd>
        </a>
      </div>
      {diff.problem && (diff.problem.status === 404 ? <Empty title="The versions are not kept any more">Only the summary is left: {change.summary && <Foreign text={change.summary} />}</Empty> : <Trouble problem={diff.problem} again={diff.again} />)}
      {diff.data && !diff.problem && (
        <>
          <DiffHead diff={diff.data} />
          <DiffLines diff={diff.data} />
        </>
      )}
    </article>
  );
}

function Row({ change, chosen, choose }: { change: Change; chosen: boolean; choose: () => void }) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (chosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <li ref={row} class={change.read_at ? 'read' : ''}>
      <button type="button" aria-current={chosen ? 'true' : undefined} onClick={choose}>
        <span class="line">
          <span class={`mark ${change.read_at ? '' : 'new'}`} aria-hidden="true" />
          <b>
            <Foreign text={change.name || change.url.replace(/^https?:\/\//, '')} most={52} />
          </b>
          {!change.read_at && <span class="hidden">unread</span>}
          <span class="when">
            <Ago time={change.found_at} />
          </span>
        </span>
        <span class="what">{change.summary ? <Foreign text={change.summary} most={140} /> : 'changed'}</span>
      </button>
    </li>
  );
}

export function Changes() {
  const { query } = place.value;
  const [search, set_search] = useState(query.get('q') ?? '');
  const [limit, set_limit] = useState(at_a_time);
  const [read, set_read] = useState<Set<number>>(new Set());
  const [fresh, set_fresh] = useState(0);
  const [noise, set_noise] = useState<{ url: string; diff: Diff | null } | null>(null);
  const q = useSettled(search, 250);
  const only_unread = query.get('show') !== 'all';
  const tag = query.get('tag') ?? '';
  const url = query.get('url') ?? '';
  const list = useApi<{ changes: Change[] }>('/changes', { q, tag, url, unread: only_unread ? 1 : null, limit }, { keep: true });
  const asked = Number(query.get('id') ?? 0);
  const [chosen, choose] = useState(asked);
  useEffect(() => choose(asked), [asked]);
  const with_mark = (change: Change) => (read.has(change.id) ? { ...change, read_at: change.read_at ?? new Date().toISOString() } : change);
  const changes = (list.data?.changes ?? []).map(with_mark);
  const at = changes.findIndex(({ id }) => id === chosen);
  // A link may ask for one that is older than the list, or that its filters leave out.
  const elsewhere = list.data !== null && asked > 0 && chosen === asked && at < 0;
  const single = useApi<{ changes: Change[] }>(elsewhere ? '/changes' : null, { after: asked - 1, limit: 1 });
  const other = elsewhere ? single.data?.changes.find(({ id }) => id === asked) : undefined;
  const gone = elsewhere && (single.problem !== null || (single.data !== null && !other));
  const current = changes[at] ?? (elsewhere && !gone ? other && with_mark(other) : changes[0]);
  useEffect(() => refine({ q }), [q]);
  useEffect(() => {
    unread.value = 0;
    return listen((events) => {
      const found = events.filter((event) => event.what === 'change').length;
      if (found > 0) set_fresh((before) => before + found);
      unread.value = 0;
    });
  }, []);
  const mark = async (ids: number[]) => {
    const open = ids.filter((id) => !read.has(id));
    if (open.length === 0 || !may_steer()) return;
    set_read(new Set([...read, ...open]));
    try {
      await post('/changes/read', { changes: open });
    } catch (problem) {
      set_read(read);
      tell_problem(problem);
    }
  };
  const move = (by: number) => {
    const here = current ? changes.indexOf(current) : -1;
    const next = changes[Math.max(0, Math.min(changes.length - 1, here + by))];
    if (!next) return;
    if (current && by > 0 && !current.read_at) void mark([current.id]);
    choose(next.id);
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    o: () => current && (location.hash = link('page', { url: current.url })),
    m: () => current && void mark([current.id]),
    n: () => document.querySelector<HTMLButtonElement>('.detail .row button:nth-child(2)')?.click(),
  });
  const renew = () => {
    set_fresh(0);
    set_read(new Set());
    list.again();
  };
  return (
    <>
      <div class="heading">
        <h1>Changes</h1>
        <div class="row">
          <input type="search" placeholder="Search pages" aria-label="Search pages" value={search} onInput={(event) => set_search(event.currentTarget.value)} />
          <input class="short" placeholder="Tag" aria-label="Tag" value={tag} onChange={(event) => refine({ tag: event.currentTarget.value })} />
          <Choice
            label="Which"
            value={only_unread ? 'unread' : 'all'}
            set={(value) => refine({ show: value === 'all' ? 'all' : null })}
            options={[
              ['unread', 'Unread'],
              ['all', 'All'],
            ]}
          />
          <button type="button" disabled={changes.every(({ read_at }) => read_at !== null)} onClick={() => void mark(changes.filter(({ read_at }) => !read_at).map(({ id }) => id))}>
            Mark these as read
          </button>
        </div>
      </div>
      {url && (
        <p class="row">
          <span class="faint">Only of</span> <Foreign text={url} most={100} />
          <button type="button" class="linklike" onClick={() => refine({ url: null })}>
            show all
          </button>
        </p>
      )}
      {list.problem && list.problem.status !== 0 && <Trouble problem={list.problem} again={list.again} />}
      {gone && <p class="note">{single.problem ? single.problem.message : `Change ${asked} is not kept any more.`}</p>}
      <div class="reader">
        <div class="list">
          <button type="button" class="fresh" onClick={renew} hidden={fresh === 0}>
            {plural(fresh, 'newer change')}: show
          </button>
          {list.data && changes.length === 0 && (
            <Empty title={q || tag || url ? 'Nothing matches' : only_unread ? 'All read' : 'No change yet'}>
              {q || tag || url ? <p>Take a filter away, or look at all instead of the unread.</p> : <p>New changes appear here as they are found.</p>}
            </Empty>
          )}
          <ol aria-label="Changes">
            {changes.map((change) => (
              <Row key={change.id} change={change} chosen={change.id === current?.id} choose={() => choose(change.id)} />
            ))}
          </ol>
          {changes.length >= limit && limit < most && (
            <button type="button" onClick={() => set_limit(Math.min(most, limit * 2))}>
              Older changes
            </button>
          )}
        </div>
        {current && <Detail key={current.id} change={current} read={() => void mark([current.id])} noise={(diff) => set_noise({ url: current.url, diff })} />}
      </div>
      {noise && <Noise url={noise.url} diff={noise.diff} close={() => set_noise(null)} />}
    </>
  );
}
