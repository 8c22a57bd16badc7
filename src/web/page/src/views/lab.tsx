// The recorded history, replayed under another budget, policy or objective.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { get, may_steer, post, type Problem } from '../api';
import { budget as budget_words, duration, figure, number, percent } from '../format';
import { status } from '../live';
import type { LabRun, Replay } from '../types';
import { Empty, Panel, Trouble } from '../ui';

const every_ms = 500;
const most_runs = 12; // that are compared

interface Done {
  budget: number;
  objective: string;
  result: Replay;
}

function rows_of(run: LabRun): Replay[] {
  const { result } = run;
  if (Array.isArray(result)) return result;
  const inner = (result as { results?: unknown } | null)?.results;
  if (Array.isArray(inner)) return inner as Replay[];
  return result ? [result as unknown as Replay] : [];
}

function Bars({ done }: { done: Done[] }) {
  const most = Math.max(...done.map(({ result }) => result.share), 1e-9);
  return (
    <div class="scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Policy</th>
            <th scope="col">Objective</th>
            <th scope="col" class="n">
              Budget
            </th>
            <th scope="col">Changes found</th>
            <th scope="col" class="n">
              Median delay
            </th>
            <th scope="col" class="n">
              Mean delay
            </th>
            <th scope="col" class="n">
              Polls
            </th>
          </tr>
        </thead>
        <tbody>
          {done.map(({ budget, objective, result }, at) => (
            <tr key={at}>
              <th scope="row">{result.policy}</th>
              <td>{objective}</td>
              <td class="n">{budget_words(budget)}</td>
              <td>
                <div class="bar">
                  <i style={{ width: `${(result.share / most) * 60}%` }} />
                  <span>
                    {percent(result.share)} ({number(result.found)} of {number(result.changes)})
                  </span>
                </div>
              </td>
              <td class="n">{duration(result.median_delay_s)}</td>
              <td class="n">{duration(result.mean_delay_s)}</td>
              <td class="n">{number(result.polls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Lab() {
  const now = status.value?.budget ?? 1;
  const [budget, set_budget] = useState<string | null>(null);
  const [policy, set_policy] = useState('htraa');
  const [objective, set_objective] = useState('changes');
  const [running, set_running] = useState<{ id: number; budget: number; objective: string } | null>(null);
  const [progress, set_progress] = useState<number | null>(null);
  const [done, set_done] = useState<Done[]>([]);
  const [problem, set_problem] = useState<Problem | null>(null);
  const asked = Number(budget ?? now);
  useEffect(() => {
    if (!running) return undefined;
    const timer = window.setInterval(() => {
      get<LabRun>(`/lab/${running.id}`).then(
        (run) => {
          set_progress(run.progress);
          if (run.state === 'running') return;
          set_running(null);
          if (run.state === 'failed') return set_problem({ message: run.error ?? 'The replay failed.', cure: 'It needs a few recorded changes; try again later.', status: 500 } as Problem);
          const fresh = rows_of(run).map((result) => ({ budget: running.budget, objective: running.objective, result }));
          set_done((before) => [...fresh, ...before].slice(0, most_runs));
        },
        (error: Problem) => {
          if (error.status === 0) return; // asked again soon
          set_running(null);
          set_problem(error);
        },
      );
    }, every_ms);
    return () => window.clearInterval(timer);
  }, [running]);
  const start = async (event: Event) => {
    event.preventDefault();
    set_problem(null);
    set_progress(0);
    try {
      const { id } = await post<{ id: number }>('/lab/replay', { budget: asked, policy, objective });
      set_running({ id, budget: asked, objective });
    } catch (error) {
      set_problem(error as Problem);
    }
  };
  const best = useMemo(() => done.reduce<Done | null>((most, one) => (!most || one.result.share > most.result.share ? one : most), null), [done]);
  return (
    <>
      <div class="heading">
        <div>
          <h1>Lab</h1>
          <p>Replays the changes that were found here, as if the pages had been watched under another budget or policy. It runs beside the daemon with the lowest priority.</p>
        </div>
      </div>
      <Panel title="Replay">
        <form class="row labform" onSubmit={start}>
          <label class="stacked">
            <span>Requests per second</span>
            <input type="number" name="budget" min="0" step="any" value={budget ?? figure(now).replace(/,/g, '')} onInput={(event) => set_budget(event.currentTarget.value)} />
          </label>
          <label class="stacked">
            <span>Policy</span>
            <select name="policy" value={policy} onChange={(event) => set_policy(event.currentTarget.value)}>
              <option value="htraa">htraa: what Pollux does</option>
              <option value="uniform">uniform: every page as often</option>
            </select>
          </label>
          <label class="stacked">
            <span>Objective</span>
            <select name="objective" value={objective} onChange={(event) => set_objective(event.currentTarget.value)}>
              <option value="changes">changes: find as many as possible</option>
              <option value="freshness">freshness: be up to date</option>
              <option value="age">age: let nothing grow old</option>
            </select>
          </label>
          <button type="submit" class="main" disabled={running !== null || !may_steer() || !(asked > 0)}>
            {running ? 'Running…' : 'Replay'}
          </button>
        </form>
        {running && (
          <p class="row">
            <progress max={1} value={progress ?? undefined} aria-label="Progress" /> <span class="faint">{progress === null ? 'working' : percent(progress)}</span>
          </p>
        )}
        {problem && <Trouble problem={problem} />}
      </Panel>
      {done.length > 0 ? (
        <Panel title="Results" side={best && `best: ${best.result.policy} with ${budget_words(best.budget)}`}>
          <Bars done={done} />
        </Panel>
      ) : (
        <Empty title="No replay yet">
          <p>Try twice your budget, or the uniform policy for comparison. Earlier results stay below the new ones until you leave.</p>
        </Empty>
      )}
    </>
  );
}
