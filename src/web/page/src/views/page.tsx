// One page: what it did, why it has its share, what it said, and what of it counts.
import { useState } from 'preact/hooks';
import { Actions, set } from '../actions';
import { may_steer, post } from '../api';
import { DiffHead, DiffLines } from '../diff';
import { bytes, duration, figure, number, percent, plural, rate_per_day } from '../format';
import { useApi } from '../hooks';
import { Noise } from '../noise';
import { link, place } from '../route';
import { RulesEditor } from '../rules_editor';
import { Timeline } from '../timeline';
import type { Change, Diff, Mask, PageDetail, Version } from '../types';
import { Ago, Empty, Figure, Foreign, Health, Outside, Panel, Tags, tell, tell_problem, Trouble } from '../ui';

function Versions({ url }: { url: string }) {
  const versions = useApi<{ versions: Version[] }>('/versions', { url });
  const list = versions.data?.versions ?? [];
  const newest = list.reduce((most, { number: one }) => Math.max(most, one), 0);
  const [from, set_from] = useState<number | null>(null);
  const [to, set_to] = useState<number | null>(null);
  const [noise, set_noise] = useState(false);
  const to_number = to ?? newest;
  const from_number = from ?? to_number - 1;
  const enough = list.length > 1;
  const diff = useApi<Diff>(enough ? '/diff' : null, { url, from: from_number, to: to_number }, { keep: true });
  const pick = (label: string, value: number, choose: (value: number) => void) => (
    <label>
      {label}
      <select value={value} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {list.map((version) => (
          <option key={version.number} value={version.number}>
            {version.number}: {new Date(version.at).toLocaleString('en-GB')}, {bytes(version.bytes)}
          </option>
        ))}
      </select>
    </label>
  );
  if (versions.problem && versions.problem.status !== 404) return <Trouble problem={versions.problem} again={versions.again} />;
  if (!versions.data) return <p class="faint">No version is kept yet.</p>;
  if (!enough) return <p class="faint">{list.length === 0 ? 'No version is kept yet.' : 'One version is kept; the next change can be compared with it.'}</p>;
  return (
    <div class="stack">
      <div class="row">
        {pick('From', from_number, set_from)}
        {pick('to', to_number, set_to)}
        <button type="button" disabled={!may_steer()} onClick={() => set_noise(true)}>
          This is noise
        </button>
      </div>
      {diff.problem && <Trouble problem={diff.problem} again={diff.again} />}
      {diff.data && (
        <>
          <DiffHead diff={diff.data} />
          <DiffLines diff={diff.data} />
        </>
      )}
      {noise && <Noise url={url} diff={diff.data} close={() => set_noise(false)} />}
    </div>
  );
}

function Masks({ masks, changed }: { masks: Mask[]; changed: () => void }) {
  const decide = async (id: number, what: 'accept' | 'refuse') => {
    try {
      tell((await post<{ message: string }>(`/masks/${id}/${what}`)).message);
      changed();
    } catch (problem) {
      tell_problem(problem);
    }
  };
  if (masks.length === 0) return <p class="faint">Nothing of the page is left out by itself. What differs at every look is found and masked here.</p>;
  return (
    <ul class="plainlist">
      {masks.map((mask) => (
        <li key={mask.id} class="mask">
          <span>
            <b>{mask.kind ?? 'unreadable'}</b>
            {mask.before && mask.before.length > 0 && (
              <>
                {' '}
                after “<Foreign text={mask.before.join(' ')} most={60} />”
              </>
            )}
            {mask.after && mask.after.length > 0 && (
              <>
                {' '}
                before “<Foreign text={mask.after.join(' ')} most={60} />”
              </>
            )}
            <span class="faint small">
              {' '}
              {mask.state}, matched <Ago time={mask.last_matched_at} />
            </span>
          </span>
          <span class="row">
            <button type="button" disabled={!may_steer() || mask.state === 'accepted'} onClick={() => void decide(mask.id, 'accept')}>
              Keep
            </button>
            <button type="button" disabled={!may_steer()} onClick={() => void decide(mask.id, 'refuse')}>
              Compare it again
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Settings({ page, changed }: { page: PageDetail; changed: () => void }) {
  const [values, set_values] = useState({
    name: page.name ?? '',
    tags: page.tags.join(', '),
    importance: String(page.importance),
    min_interval: `${page.min_interval_ms / 1000}s`,
    max_interval: `${page.max_interval_ms / 1000}s`,
  });
  const field = (key: keyof typeof values, words: string, hint = '') => (
    <label class="stacked">
      <span>{words}</span>
      <input name={key} value={values[key]} placeholder={hint} onInput={(event) => set_values({ ...values, [key]: event.currentTarget.value })} />
    </label>
  );
  const submit = async (event: Event) => {
    event.preventDefault();
    const tags = values.tags.split(',').map((tag) => tag.trim()).filter(Boolean);
    const wanted: Record<string, unknown> = {};
    if (values.name !== (page.name ?? '')) wanted.name = values.name;
    if (tags.join() !== page.tags.join()) wanted.tags = tags;
    if (Number(values.importance) !== page.importance) wanted.importance = Number(values.importance);
    if (values.min_interval !== `${page.min_interval_ms / 1000}s`) wanted.min_interval = values.min_interval;
    if (values.max_interval !== `${page.max_interval_ms / 1000}s`) wanted.max_interval = values.max_interval;
    if (Object.keys(wanted).length === 0) return tell('Nothing was changed.');
    if (await set([page.url], wanted)) changed();
    return undefined;
  };
  const reset = async () => {
    try {
      await post('/pages/reset', { urls: [page.url] });
      tell('What the configuration says is in force again.');
      changed();
    } catch (problem) {
      tell_problem(problem);
    }
  };
  return (
    <form class="settings" onSubmit={submit}>
      {field('name', 'Name')}
      {field('tags', 'Tags', 'news, shops')}
      {field('importance', 'Importance')}
      {field('min_interval', 'At most one poll in', '5min')}
      {field('max_interval', 'At least one poll in', '1d')}
      <div class="row">
        <button type="submit" class="main" disabled={!may_steer()}>
          Save settings
        </button>
        {page.overrides && (
          <button type="button" disabled={!may_steer()} onClick={() => void reset()}>
            Back to the configuration
          </button>
        )}
      </div>
      <p class="faint small">{page.overrides ? 'Some of this was set live, over the configuration.' : `From ${page.source ?? 'the configuration'}.`}</p>
    </form>
  );
}

function Facts({ page }: { page: PageDetail }) {
  const { forecast } = page;
  return (
    <dl class="figures">
      <Figure label="Share of the budget" value={percent(page.planned_share ?? page.share)}>
        rank {number(page.rank)} of {number(page.active_pages)}
      </Figure>
      <Figure label="Polled every" value={duration(page.poll_interval_s)}>
        next <Ago time={page.next_due_at} future />
      </Figure>
      <Figure label="Changes" value={rate_per_day(page.change_rate_per_day, page.change_rate_bound)}>
        {plural(page.changes, 'change')} found so far
      </Figure>
      <Figure label="Next change" value={forecast?.chance_next_hour === null || forecast?.chance_next_hour === undefined ? percent(page.outdated_probability) : percent(forecast.chance_next_hour)} unit={forecast?.chance_next_hour === null || forecast?.chance_next_hour === undefined ? 'happened already' : 'within an hour'}>
        expected <Ago time={forecast?.expected_at ?? page.next_change_expected_at} />
        {forecast?.chance_next_day !== null && forecast?.chance_next_day !== undefined && `; ${percent(forecast.chance_next_day)} within a day`}
      </Figure>
      <Figure label="Importance" value={figure(page.importance)}>
        {number(page.errors)} errors so far
      </Figure>
    </dl>
  );
}

export function PageView() {
  const url = place.value.query.get('url') ?? '';
  const detail = useApi<PageDetail>('/pages/one', { url }, { every_ms: 5000 });
  const changes = useApi<{ changes: Change[] }>('/changes', { url, limit: 100 }, { every_ms: 5000 });
  const page = detail.data;
  if (detail.problem && !page) {
    if (detail.problem.status !== 404) return <Trouble problem={detail.problem} again={detail.again} />;
    return (
      <Empty title="This page is not watched">
        <p>
          <Foreign text={url} most={160} />
        </p>
        <div class="row">
          <a class="button" href={link('add', { url })}>
            Watch it
          </a>
          <a class="button" href={link('pages')}>
            All pages
          </a>
        </div>
      </Empty>
    );
  }
  if (!page) return <p class="faint">Loading…</p>;
  const found = (changes.data?.changes ?? []).map(({ found_at }) => found_at);
  return (
    <>
      <div class="heading">
        <div>
          <p class="small">
            <a href={link('pages')}>Pages</a> ›
          </p>
          <h1>
            <Foreign text={page.name || page.url.replace(/^https?:\/\//, '')} most={120} />
          </h1>
          <p class="row">
            <Health health={page.state === 'active' ? page.health : page.state} reason={page.health_reason} /> <Outside url={page.url} /> <Tags tags={page.tags} />
          </p>
        </div>
        <Actions
          urls={[page.url]}
          importance={page.importance}
          changed={() => {
            detail.again();
            changes.again();
          }}
        />
      </div>
      {page.health_reason && page.health !== 'ok' && (
        <div class="note warn">
          <Foreign text={page.health_reason} />
        </div>
      )}
      <Facts page={page} />
      <Panel
        title="Polls and changes"
        side={
          <>
            <span class="key poll">polls</span>
            <span class="key change">changes</span>
            <a href={link('changes', { url: page.url, show: 'all' })}>All its changes</a>
          </>
        }
      >
        <Timeline polls={page.known_polls ?? []} changes={found} expected={page.forecast?.expected_at ?? page.next_change_expected_at} due={page.next_due_at} />
      </Panel>
      <div class="columns">
        <div class="stack">
          <Panel title="Versions">
            <Versions key={page.url} url={page.url} />
          </Panel>
          <Panel title="What counts">
            <RulesEditor key={page.url} page={page} changed={detail.again} />
          </Panel>
        </div>
        <div class="stack">
          <Panel title="Why it is polled as it is">
            <dl class="why">
              {page.explanation.map(({ topic, text }, at) => (
                <div key={at}>
                  <dt>{topic}</dt>
                  <dd>
                    <Foreign text={text} />
                  </dd>
                </div>
              ))}
            </dl>
          </Panel>
          <Panel title="Masks">
            <Masks masks={page.masks ?? []} changed={detail.again} />
          </Panel>
          <Panel title="Settings">
            <Settings key={page.url + JSON.stringify(page.overrides)} page={page} changed={detail.again} />
          </Panel>
        </div>
      </div>
    </>
  );
}
