// What of a page counts: the rules as JSON, tried at once on the page as it is.
import { useEffect, useState } from 'preact/hooks';
import { may_steer, post, type Problem } from './api';
import { set } from './actions';
import { bytes, shortened } from './format';
import { useSettled } from './hooks';
import type { PageDetail, Trial } from './types';
import { Foreign, Trouble } from './ui';

const example = '{ "select": ["main"], "remove": [".ad"] }';

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export function RulesEditor({ page, changed }: { page: PageDetail; changed: () => void }) {
  const [text, set_text] = useState(JSON.stringify(page.rules ?? {}, null, 2));
  const [trial, set_trial] = useState<Trial | null>(null);
  const [problem, set_problem] = useState<Problem | null>(null);
  const [touched, touch] = useState(false);
  const settled = useSettled(text, 500);
  const content = parsed(text);
  useEffect(() => {
    const rules = parsed(settled);
    if (!rules || !touched) return undefined;
    let gone = false;
    post<Trial>('/try', { url: page.url, content: rules }).then(
      (answer) => !gone && (set_trial(answer), set_problem(null)),
      (error: Problem) => !gone && (set_trial(null), set_problem(error)),
    );
    return () => {
      gone = true;
    };
  }, [settled, page.url, touched]);
  return (
    <div class="stack">
      {page.content && page.content.length > 0 && (
        <ul class="plainlist small">
          {page.content.map(({ rule, where }, at) => (
            <li key={at}>
              <code>
                <Foreign text={rule} />
              </code>{' '}
              <span class="faint">
                <Foreign text={where} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <label class="stacked">
        <span>Rules of this page, for example {example}</span>
        <textarea
          rows={5}
          spellcheck={false}
          value={text}
          aria-invalid={content === null}
          onInput={(event) => {
            set_text(event.currentTarget.value);
            touch(true);
          }}
        />
      </label>
      {content === null && (
        <p class="warn-text" role="alert">
          This is not a JSON object yet.
        </p>
      )}
      <div class="row">
        <button type="button" disabled={!content || !may_steer()} onClick={() => (touch(true), set_text(`${text} `))}>
          Try
        </button>
        <button type="button" class="main" disabled={!content || !may_steer() || problem !== null} onClick={() => content && void set([page.url], { content }).then((done) => done && changed())}>
          Save
        </button>
      </div>
      {problem && <Trouble problem={problem} />}
      {trial && (
        <div class="preview" aria-live="polite">
          <p class="small">
            {trial.error ? (
              <strong class="warn-text">
                <Foreign text={trial.error} />
              </strong>
            ) : (
              <>
                Kept as {trial.as ?? 'nothing'}: {bytes(trial.kept?.length ?? 0)}
                {trial.matched.map(({ selector, nodes }) => (
                  <span key={selector}>
                    {' '}
                    · <code>{selector}</code> finds {nodes}
                  </span>
                ))}
                {trial.suspect && <> · looks {trial.suspect}</>}
              </>
            )}
          </p>
          {trial.kept && (
            <pre>
              <Foreign text={shortened(trial.kept, 8000)} />
            </pre>
          )}
        </div>
      )}
    </div>
  );
}
