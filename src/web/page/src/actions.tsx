// What can be done to pages, one or many.
import { useState } from 'preact/hooks';
import { may_steer, post } from './api';
import { plural, visible } from './format';
import type { Steered } from './types';
import { Dialog, tell, tell_problem } from './ui';

export type Act = 'pause' | 'resume' | 'poll' | 'remove';

const done_words: Record<Act | 'set', string> = { pause: 'paused', resume: 'resumed', poll: 'polled next', remove: 'removed', set: 'set' };

function say(act: Act | 'set', result: Steered): void {
  const parts = [`${plural(result.done, 'page')} ${done_words[act]}`];
  if (result.unchanged > 0) parts.push(`${result.unchanged} were so already`);
  if (result.refused > 0) parts.push(`${result.refused} refused: ${visible(result.pages[0]?.why ?? '')}`);
  tell(`${parts.join(', ')}.`, result.refused > 0);
}

export async function steer(act: Act, urls: string[]): Promise<boolean> {
  try {
    say(act, await post<Steered>(`/pages/${act}`, { urls }));
    return true;
  } catch (problem) {
    tell_problem(problem);
    return false;
  }
}

export async function set(urls: string[], values: Record<string, unknown>): Promise<boolean> {
  try {
    say('set', await post<Steered>('/pages/set', { urls, set: values }));
    return true;
  } catch (problem) {
    tell_problem(problem);
    return false;
  }
}

export function ImportanceDialog({ urls, now, close }: { urls: string[]; now: number; close: (changed: boolean) => void }) {
  const [value, set_value] = useState(String(now));
  const number = Number(value);
  const right = Number.isFinite(number) && number > 0;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (right && (await set(urls, { importance: number }))) close(true);
  };
  return (
    <Dialog title={`Importance of ${plural(urls.length, 'page')}`} close={() => close(false)}>
      <form class="stack" onSubmit={submit}>
        <p class="faint">A change of a page with importance 2 counts as two changes of a page with importance 1, and gets polls accordingly.</p>
        <label class="stacked">
          <span>Importance</span>
          <input type="number" name="importance" min="0.01" step="any" value={value} autofocus onInput={(event) => set_value(event.currentTarget.value)} />
        </label>
        <div class="row">
          {[0.2, 0.5, 1, 2, 5, 10].map((one) => (
            <button type="button" key={one} class="chip" aria-pressed={number === one} onClick={() => set_value(String(one))}>
              {one}
            </button>
          ))}
        </div>
        <div class="row">
          <button type="submit" class="main" disabled={!right}>
            Set importance
          </button>
          <button type="button" onClick={() => close(false)}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function RemoveDialog({ urls, close }: { urls: string[]; close: (changed: boolean) => void }) {
  return (
    <Dialog title={`Remove ${plural(urls.length, 'page')}?`} close={() => close(false)}>
      <div class="stack">
        <p>They are no longer polled. Their history is kept, and added again they go on where they stopped. What the configuration lists can only be taken out there.</p>
        <div class="row">
          <button type="button" class="main" onClick={() => void steer('remove', urls).then((done) => done && close(true))}>
            Remove
          </button>
          <button type="button" onClick={() => close(false)}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}

export function Actions({ urls, importance, changed }: { urls: string[]; importance: number; changed: () => void }) {
  const [dialog, show] = useState<'importance' | 'remove' | null>(null);
  const allowed = may_steer() && urls.length > 0;
  const act = (what: Act) => void steer(what, urls).then((done) => done && changed());
  const close = (done: boolean) => {
    show(null);
    if (done) changed();
  };
  return (
    <>
      <div class="row actions" role="group" aria-label="Actions">
        <button type="button" disabled={!allowed} onClick={() => act('poll')}>
          Poll now
        </button>
        <button type="button" disabled={!allowed} onClick={() => act('pause')}>
          Pause
        </button>
        <button type="button" disabled={!allowed} onClick={() => act('resume')}>
          Resume
        </button>
        <button type="button" disabled={!allowed} onClick={() => show('importance')}>
          Importance
        </button>
        <button type="button" disabled={!allowed} class="danger" onClick={() => show('remove')}>
          Remove
        </button>
      </div>
      {dialog === 'importance' && <ImportanceDialog urls={urls} now={importance} close={close} />}
      {dialog === 'remove' && <RemoveDialog urls={urls} close={close} />}
    </>
  );
}
