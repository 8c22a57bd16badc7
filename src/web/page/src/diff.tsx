import { plural } from './format';
import type { Diff } from './types';
import { Ago, Foreign } from './ui';

// Words that came and went. What differs is marked by more than colour, and said aloud by ins and del.
export function DiffLines({ diff }: { diff: Diff }) {
  return (
    <div class="diff" tabIndex={0} role="region" aria-label="Differences">
      {diff.lines.map((line, at) =>
        'folded' in line ? (
          <p key={at} class="folded">
            {plural(line.folded, 'line')} without a change
          </p>
        ) : (
          <p key={at}>
            {line.spans.map((span, index) => {
              const text = <Foreign text={span.text} />;
              if (span.edit === 'add') return <ins key={index}>{text}</ins>;
              return span.edit === 'remove' ? <del key={index}>{text}</del> : <span key={index}>{text}</span>;
            })}
          </p>
        ),
      )}
      {diff.lines.length === 0 && <p class="faint">No words differ.</p>}
      {diff.cut && <p class="folded">The rest is not shown; the command “pollux diff” has all of it.</p>}
    </div>
  );
}

export function DiffHead({ diff }: { diff: Diff }) {
  return (
    <p class="faint small">
      Version {diff.from.number} (<Ago time={diff.from.at} />) → {diff.to.number} (<Ago time={diff.to.at} />
      ): <span class="plus">+{diff.words_added}</span> <span class="minus">−{diff.words_removed}</span> words
    </p>
  );
}
