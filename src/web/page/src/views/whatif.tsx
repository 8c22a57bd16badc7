// What another budget or importance would bring, by the learnt rates, before anything is done.
import { useMemo, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { may_steer, post, type Query } from '../api';
import { Chart } from '../chart';
import { budget as budget_words, duration, figure, number, percent } from '../format';
import { useApi, useSettled } from '../hooks';
import { refresh_status, status } from '../live';
import type { Outlook, Tree, WhatIf as Answer } from '../types';
import { Choice, Dialog, Empty, Figure, Foreign, Panel, tell, tell_problem, Trouble } from '../ui';

type Shown = 'changes_per_day' | 'share_caught' | 'mean_delay_s';
const shown_words: Record<Shown, string> = { changes_per_day: 'Changes per day', share_caught: 'Share caught', mean_delay_s: 'Mean delay' };
const form_of: Record<Shown, (value: number) => string> = { changes_per_day: figure, share_caught: percent, mean_delay_s: duration };
const steps = 120;
const factor = 16; // from a sixteenth to sixteen times

function versus(then: number | null, now: number | null, more_is_good: boolean): string {
  if (then === null || now === null || now === 0) return '';
  const change = then / now - 1;
  if (Math.abs(change) < 0.002) return 'as now';
  return `${change > 0 ? '+' : '−'}${percent(Math.abs(change))} against now${(change > 0) === more_is_good ? '' : ', worse'}`;
}

function Importance({ values, set }: { values: Record<string, number>; set: (values: Record<string, number>) => void }) {
  const tags = useApi<Tree>('/tree', { by: 'tag' });
  const names = (tags.data?.cells ?? []).filter(({ kind, prefix, label }) => kind !== 'others' && (prefix ?? label)).map((cell) => cell.prefix ?? cell.label);
  if (names.length === 0) return <p class="faint">No page has a tag yet. With tags, their importance can be tried here.</p>;
  return (
    <div class="stack">
      {names.slice(0, 12).map((tag) => {
        const value = values[tag] ?? 1;
        return (
          <label class="importance" key={tag}>
            <Foreign text={tag} most={24} />
            <input type="range" min={-3} max={3} step={0.5} value={Math.log2(value)} aria-valuetext={`times ${figure(value)}`} onInput={(event) => set({ [tag]: 2 ** Number(event.currentTarget.value) })} />
            <span class="n">× {figure(value)}</span>
          </label>
        );
      })}
      <p class="faint small">Times what is set now, one tag at a time. This only looks ahead: importance itself is set in Pages, filtered by the tag.</p>
    </div>
  );
}

function Curve({ answer }: { answer: Answer }) {
  const [shown, show] = useState<Shown>('changes_per_day');
  const data = useMemo((): uPlot.AlignedData => {
    const points: Outlook[] = [...answer.curve].sort((one, other) => one.budget - other.budget);
    return [points.map(({ budget }) => budget), points.map((point) => point[shown])];
  }, [answer.curve, shown]);
  return (
    <Panel
      title={`${shown_words[shown]} by budget`}
      side={<Choice<Shown> label="Curve of" value={shown} set={show} options={(Object.keys(shown_words) as Shown[]).map((key) => [key, shown_words[key]])} />}
    >
      <Chart
        key={shown}
        data={data}
        height={300}
        lines={[{ label: shown_words[shown], colour: 'accent', value: form_of[shown] }]}
        x={{ log: true, label: 'Requests per second', value: (value) => figure(value) }}
        y={form_of[shown]}
        mark={answer.budget}
        summary={`${shown_words[shown]} for budgets from ${figure(data[0][0] ?? 0)} to ${figure(data[0][data[0].length - 1] ?? 0)} requests per second`}
      />
    </Panel>
  );
}

export function WhatIf() {
  const now = status.value?.budget ?? null;
  const [position, set_position] = useState(steps / 2);
  const [importance, set_importance] = useState<Record<string, number>>({});
  const [asking, ask] = useState(false);
  const exact = now === null ? null : now * factor ** ((2 * position) / steps - 1);
  const wanted = exact === null ? null : position === steps / 2 ? now : Number(exact.toPrecision(2));
  const words = Object.entries(importance)
    .filter(([, value]) => value !== 1)
    .map(([tag, value]) => `${tag}:${Number(value.toPrecision(4))}`)
    .join(',');
  const settled = JSON.parse(useSettled(JSON.stringify({ budget: wanted, importance: words }), 120)) as Query;
  const answer = useApi<Answer>(now === null ? null : '/what-if', settled, { keep: true });
  const data = answer.data;
  const apply = async () => {
    try {
      const done = await post<{ budget: number; before: number }>('/budget', { budget: wanted });
      tell(`The budget is ${budget_words(done.budget)} now; it was ${budget_words(done.before)}.`);
      ask(false);
      set_position(steps / 2);
      await refresh_status();
      answer.again();
    } catch (problem) {
      tell_problem(problem);
    }
  };
  const jump = (times: number) => set_position(Math.round((steps / 2) * (1 + Math.log(times) / Math.log(factor))));
  return (
    <>
      <div class="heading">
        <div>
          <h1>What if</h1>
          <p>What another budget would bring, computed from what is learnt of every page. Nothing is changed until you apply it.</p>
        </div>
      </div>
      {now === null && status.value && <Empty title="There is no budget">Without a limit every page is polled as often as its intervals allow.</Empty>}
      {answer.problem && answer.problem.status !== 0 && <Trouble problem={answer.problem} again={answer.again} />}
      {now !== null && (
        <Panel
          title="Budget"
          side={
            <>
              {[0.5, 1, 2, 4].map((times) => (
                <button type="button" key={times} class="chip" onClick={() => jump(times)}>
                  {times === 1 ? 'now' : `× ${times}`}
                </button>
              ))}
            </>
          }
        >
          <div class="whatif">
            <output class="big" for="budget">
              {budget_words(wanted)}
            </output>
            <input id="budget" type="range" min={0} max={steps} value={position} aria-label="Budget" aria-valuetext={budget_words(wanted)} onInput={(event) => set_position(Number(event.currentTarget.value))} />
            <button type="button" class="main" disabled={wanted === now || !may_steer()} onClick={() => ask(true)}>
              Apply this budget
            </button>
          </div>
        </Panel>
      )}
      {data && (
        <>
          <dl class="figures" aria-live="polite">
            <Figure label="Changes found per day" value={figure(data.changes_per_day)} tone="change">
              now {figure(data.now.changes_per_day)}; {versus(data.changes_per_day, data.now.changes_per_day, true)}
            </Figure>
            <Figure label="Share of all changes" value={percent(data.share_caught)}>
              now {percent(data.now.share_caught)}
            </Figure>
            <Figure label="Mean delay" value={duration(data.mean_delay_s)}>
              now {duration(data.now.mean_delay_s)}; {versus(data.mean_delay_s, data.now.mean_delay_s, false)}
            </Figure>
            <Figure label="Requests per day" value={number((wanted ?? 0) * 86400)}>
              {versus(wanted, now, true).replace(', worse', '') || 'as now'}
            </Figure>
          </dl>
          <div class="columns">
            <Curve answer={data} />
            <Panel title="Importance by tag">
              <Importance values={importance} set={set_importance} />
            </Panel>
          </div>
        </>
      )}
      {asking && (
        <Dialog title="Set the budget?" close={() => ask(false)}>
          <div class="stack">
            <p>
              The budget becomes <strong>{budget_words(wanted)}</strong> at once; it is {budget_words(now)} now. It holds until the daemon ends, or until a reload finds another budget in the configuration.
            </p>
            <div class="row">
              <button type="button" class="main" onClick={() => void apply()}>
                Set the budget
              </button>
              <button type="button" onClick={() => ask(false)}>
                Cancel
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
