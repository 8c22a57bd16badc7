// "This is noise": words of a change that shall not count from now on.
import { useEffect, useState } from 'preact/hooks';
import { post, type Problem } from './api';
import { useSettled } from './hooks';
import type { Diff } from './types';
import { Dialog, Foreign, tell, Trouble } from './ui';

interface Preview {
  rule: { ignore: string };
  hides: string[];
}

// The words that came or went, each stretch once.
export function candidates(diff: Diff | null): string[] {
  const found = new Set<string>();
  for (const line of diff?.lines ?? []) {
    if ('folded' in line) continue;
    for (const { edit, text } of line.spans) {
      const words = text.trim();
      if (edit !== 'keep' && words && words.length < 400) found.add(words);
    }
  }
  return [...found].slice(0, 12);
}

export function Noise({ url, diff, close }: { url: string; diff: Diff | null; close: () => void }) {
  const offered = candidates(diff);
  const [text, set_text] = useState(offered[0] ?? '');
  const [preview, set_preview] = useState<Preview | null>(null);
  const [problem, set_problem] = useState<Problem | null>(null);
  const settled = useSettled(text, 250);
  useEffect(() => {
    if (settled.trim() === '') return set_preview(null);
    let gone = false;
    post<Preview>('/masks', { url, text: settled, dry_run: true }).then(
      (answer) => !gone && (set_preview(answer), set_problem(null)),
      (error: Problem) => !gone && (set_preview(null), set_problem(error)),
    );
    return () => {
      gone = true;
    };
  }, [settled, url]);
  const apply = async () => {
    try {
      await post('/masks', { url, text: settled });
      tell('Done: from now on this does not count as a change of the page.');
      close();
    } catch (error) {
      set_problem(error as Problem);
    }
  };
  return (
    <Dialog title="This is noise" close={close}>
      <div class="stack">
        <p class="faint">Which words shall not count? Pollux makes a rule for this page that leaves them out before it compares.</p>
        {offered.length > 0 && (
          <div class="row" role="group" aria-label="Words of this change">
            {offered.map((words) => (
              <button type="button" key={words} aria-pressed={words === text} class="chip" onClick={() => set_text(words)}>
                <Foreign text={words} most={48} />
              </button>
            ))}
          </div>
        )}
        <label class="stacked">
          <span>Words</span>
          <textarea rows={2} value={text} onInput={(event) => set_text(event.currentTarget.value)} />
        </label>
        {problem && <Trouble problem={problem} />}
        {preview && (
          <div class="preview" aria-live="polite">
            <h3>The rule</h3>
            <pre>
              ignore: <Foreign text={preview.rule.ignore} />
            </pre>
            <h3>It hides</h3>
            {preview.hides.length === 0 ? (
              <p class="faint">nothing of the page as it is now</p>
            ) : (
              <ul>
                {preview.hides.slice(0, 20).map((hidden, at) => (
                  <li key={at}>
                    <Foreign text={hidden} most={200} />
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
        <div class="row">
          <button type="button" class="main" disabled={!preview} onClick={() => void apply()}>
            Leave it out from now on
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}
