import { useEffect, useMemo, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { Chart } from '../chart';
import { figure, number, percent, plural, visible } from '../format';
import { useApi } from '../hooks';
import { type Happening, listen, now, status } from '../live';
import { LiveStrip } from '../live_strip';
import { link } from '../route';
import type { Change, Minute, Overview as Answer } from '../types';
import { Ago, Choice, Empty, Figure, Foreign, Meter, Panel, Trouble, health_class, health_word } from '../ui';

const latest_shown = 9;

interface Found {
  id: number;
  at: string;
  url: string;
  name: string | null;
  summary: string | null;
}

// The latest changes: from the table at first, then as they come.
function useLatest(): Found[] | null {
  const [found, set_found] = useState<Found[] | null>(null);
  const { data } = useApi<{ changes: Change[] }>('/changes', { limit: latest_shown });
  useEffect(() => {
    if (data) set_found(data.changes.map(({ id, found_at, url, name, summary }) => ({ id, at: found_at, url, name, summary })));
  }, [data]);
  useEffect(
    () =>
      listen((events: Happening[]) => {
        const fresh = events
          .filter((event) => event.what === 'change')
          .map((event): Found => ({ id: event.id ?? 0, at: event.at, url: event.url, name: event.name, summary: event.summary ?? null }))
          .reverse();
        if (fresh.length === 0) return;
        set_found((before) => {
          const known = new Set(fresh.map(({ id }) => id));
          return [...fresh, ...(before ?? []).filter(({ id }) => !known.has(id))].slice(0, latest_shown);
        });
      }),
    [],
  );
  return found;
}

function Latest() {
  const found = useLatest();
  return (
    <Panel title="Latest changes" side={<a href={link('changes')}>All changes</a>}>
      {found && found.length === 0 && <Empty title="No change yet">A page's first poll only learns what it says; the second can find a change.</Empty>}
      <ul class="feed">
        {(found ?? []).map((change) => (
          <li key={change.id}>
            <span class="faint small">
              <Ago time={change.at} />
            </span>
            <span>
              <a href={link('changes', { id: String(change.id), show: 'all' })} class="page-link">
                <Foreign text={change.name || change.url} most={60} />
              </a>
              {change.summary && (
                <span class="what">
                  <Foreign text={change.summary} most={160} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type Span = 'minute' | 'hour';

function Found({ overview, minutes }: { overview: Answer; minutes: Minute[] }) {
  const young = status.value?.started_at ? now.peek() - Date.parse(status.value.started_at) < 3 * 3600e3 : false;
  const [asked, ask] = useState<Span | null>(null);
  const span = asked ?? (young ? 'minute' : 'hour');
  const uniform = overview.uniform_per_hour;
  const data = useMemo((): uPlot.AlignedData => {
    if (span === 'hour') {
      const hours = overview.hours;
      return [hours.map(({ hour }) => Date.parse(hour) / 1000), hours.map(({ found }) => found), hours.map((hour) => hour.uniform)];
    }
    return [minutes.map(({ minute }) => Date.parse(minute) / 1000), minutes.map(({ changes }) => changes), minutes.map(() => (uniform === null ? null : uniform / 60))];
  }, [span, overview, minutes]);
  const length = span === 'hour' ? 86400 : 3600;
  const end = Math.ceil(now.value / 60000) * 60;
  const range: [number, number] = [end - length, end];
  const gain = overview.expected_per_hour && uniform ? overview.expected_per_hour / uniform : null;
  return (
    <Panel
      title={span === 'hour' ? 'Changes found per hour' : 'Changes found per minute'}
      side={
        <Choice<Span>
          label="Span"
          value={span}
          set={ask}
          options={[
            ['minute', 'Last hour'],
            ['hour', 'Last day'],
          ]}
        />
      }
    >
      <Chart
        time
        data={data}
        range={range}
        lines={[
          { label: 'Found', colour: 'change', kind: 'bars' },
          { label: 'Uniform polling would find', colour: 'uniform', kind: 'step', dash: [6, 4] },
        ]}
        y={figure}
        summary={`Changes found per ${span}, against what uniform polling with the same number of polls would find`}
      />
      {gain !== null && (
        <p class="small faint">
          With what is learnt, Pollux expects {figure(overview.expected_per_hour)} changes per hour; the same polls spread evenly would find{' '}
          {figure(uniform)}. {gain >= 1.02 && <strong>That is {figure(gain)} times as many.</strong>}
        </p>
      )}
    </Panel>
  );
}

function HealthOfPages({ overview }: { overview: Answer }) {
  const kinds = Object.entries(overview.health)
    .filter(([, count]) => count > 0)
    .sort((one, other) => other[1] - one[1]);
  return (
    <Panel title="Health of pages" side={plural(overview.pages, 'page')}>
      <div class="healthbar" aria-hidden="true">
        {kinds.map(([kind, count]) => (
          <i key={kind} class={health_class(kind)} style={{ flexGrow: String(count), flexBasis: '0' }} />
        ))}
      </div>
      <ul class="healthlist">
        {kinds.map(([kind, count]) => (
          <li key={kind}>
            <a class={health_class(kind)} href={link('pages', { health: kind })}>
              {health_word(kind)} <b>{number(count)}</b>
            </a>
          </li>
        ))}
        {overview.paused > 0 && (
          <li>
            <a class="quiet" href={link('pages', { health: 'paused' })}>
              paused <b>{number(overview.paused)}</b>
            </a>
          </li>
        )}
      </ul>
    </Panel>
  );
}

function sum(minutes: Minute[], of: (minute: Minute) => number): number {
  return minutes.reduce((total, minute) => total + of(minute), 0);
}

function Figures({ overview, minutes, budget }: { overview: Answer | null; minutes: Minute[]; budget: number | null }) {
  const facts = status.value;
  const requests = sum(minutes, (minute) => minute.requests);
  const errors = sum(minutes, (minute) => minute.errors);
  const changes = sum(minutes, (minute) => minute.changes);
  const used = facts?.budget_used ?? null;
  const polls = sum(minutes, (minute) => minute.polls);
  return (
    <dl class="figures">
      <Figure label="Changes, last hour" value={number(changes)} tone="change">
        {polls > 0 ? `${percent(changes / polls)} of the polls found one` : 'no poll yet'}
      </Figure>
      <Figure label="Budget used" value={used === null ? '–' : percent(used)} unit={budget === null ? '' : `of ${figure(budget)} per s`}>
        <Meter part={used ?? 0} label={`${percent(used)} of the budget is used`} />
        {number(requests)} requests in the last hour
      </Figure>
      <Figure label="Errors, last hour" value={number(errors)} tone={requests > 0 && errors / requests > 0.1 ? 'bad' : ''}>
        {facts && facts.pages.failing > 0 ? <a href={link('pages', { health: 'failing' })}>{plural(facts.pages.failing, 'page')} failing</a> : 'no page fails'}
      </Figure>
      <Figure label="Pages watched" value={number(facts?.pages.active ?? overview?.pages)}>
        on {plural(facts?.pages.hosts ?? 0, 'host')}
        {facts && facts.pages.paused > 0 && (
          <>
            , <a href={link('pages', { health: 'paused' })}>{number(facts.pages.paused)} paused</a>
          </>
        )}
      </Figure>
      <Figure label="Notifications" value={number(facts?.deliveries.sent)} unit="sent" tone={facts && facts.deliveries.dead > 0 ? 'bad' : ''}>
        {number(facts?.deliveries.waiting)} waiting, {number(facts?.deliveries.dead)} given up
      </Figure>
    </dl>
  );
}

export function Overview() {
  const overview = useApi<Answer>('/overview', { hours: 24 }, { every_ms: 10000 });
  const budget = useApi<{ budget: number | null; minutes: Minute[] }>('/budget', { minutes: 60 }, { every_ms: 5000 });
  const facts = status.value;
  const minutes = budget.data?.minutes ?? [];
  if (facts && facts.pages.active + facts.pages.paused === 0) {
    return (
      <>
        <h1>Welcome to Pollux</h1>
        <Empty title="Nothing is watched yet">
          <p>Name the pages that matter to you. Pollux polls them within a budget, learns how often each changes, and spends its polls where they find most.</p>
          <div class="row">
            <a class="button" href={link('add')}>
              Add pages
            </a>
          </div>
          <p class="small">
            Or list them in the configuration; <code>pollux check</code> says whether it is right.
          </p>
        </Empty>
      </>
    );
  }
  return (
    <>
      <div class="heading">
        <h1>Overview</h1>
        <p>
          {facts?.policy ? `Learning with ${visible(facts.policy)}` : ''}
          {facts?.started_at && (
            <>
              {' '}
              · started <Ago time={facts.started_at} />
            </>
          )}
        </p>
      </div>
      {overview.problem && overview.problem.status !== 0 && <Trouble problem={overview.problem} again={overview.again} />}
      <Figures overview={overview.data} minutes={minutes} budget={budget.data?.budget ?? facts?.budget ?? null} />
      <div class="columns">
        <div class="stack">
          {overview.data && <Found overview={overview.data} minutes={minutes} />}
          <Panel
            title="Live"
            side={
              <>
                <span class="key poll">polls per second</span>
                <span class="key change">changes</span>
                <span class="key error">errors</span>
              </>
            }
          >
            <LiveStrip />
          </Panel>
          {overview.data && <HealthOfPages overview={overview.data} />}
        </div>
        <div class="stack">
          <Latest />
        </div>
      </div>
    </>
  );
}
