// The parts that all views are made of.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from './api';
import { ago, clock, shortened, until, visible } from './format';
import { link } from './route';
import { now } from './live';

// What comes from pages: a text with a direction of its own that cannot reach its surroundings.
export function Foreign({ text, most }: { text: string; most?: number }) {
  const shown = visible(text);
  return <bdi title={most && shown.length > most ? shortened(shown, 2000) : undefined}>{most ? shortened(shown, most) : shown}</bdi>;
}

export function PageLink({ url, name, most = 90 }: { url: string; name?: string | null; most?: number }) {
  return (
    <a class="page-link" href={link('page', { url })}>
      <Foreign text={name || url} most={most} />
    </a>
  );
}

// Only the web is linked to, and it does not hear from whom one comes.
export function Outside({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return <Foreign text={url} most={160} />;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" class="outside">
      <Foreign text={url} most={160} />
    </a>
  );
}

export function Ago({ time, future = false }: { time: string | null | undefined; future?: boolean }) {
  if (!time) return <span class="faint">–</span>;
  return (
    <time dateTime={time} title={clock(time)}>
      {future ? until(time, now.value) : ago(time, now.value)}
    </time>
  );
}

const health_words: Record<string, string> = {
  ok: 'fine',
  failing: 'failing',
  suspect: 'suspect',
  selector: 'selector finds nothing',
  moved: 'moved',
  flapping: 'flapping',
  noisy: 'noisy',
  masked: 'noise masked',
  paused: 'paused',
  new: 'not seen yet',
};

export function health_word(health: string | null | undefined): string {
  return health_words[health ?? 'new'] ?? visible(health ?? '');
}

export function health_class(health: string | null | undefined): string {
  if (!health) return 'quiet';
  if (health === 'ok') return 'good';
  if (health === 'failing') return 'bad';
  return health === 'masked' || health === 'moved' || health === 'paused' || health === 'new' ? 'quiet' : 'warn';
}

export function Health({ health, reason }: { health: string | null | undefined; reason?: string | null }) {
  return (
    <span class={`badge ${health_class(health)}`} title={reason ? visible(reason) : undefined}>
      {health_word(health)}
    </span>
  );
}

export function Tags({ tags }: { tags: string[] }) {
  return (
    <>
      {tags.map((tag) => (
        <a class="tag" href={link('pages', { tag })} key={tag}>
          <Foreign text={tag} most={30} />
        </a>
      ))}
    </>
  );
}

export function Trouble({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class="note bad" role="alert">
      <strong>{visible(problem.message)}</strong>
      {problem.cure && <p>{visible(problem.cure)}</p>}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

export function Panel({ title, side, children, id }: { title: string; side?: ComponentChildren; children: ComponentChildren; id?: string }) {
  return (
    <section class="panel" id={id} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {side && <div class="side">{side}</div>}
      </header>
      {children}
    </section>
  );
}

export function Figure({ label, value, unit, hint, children, tone }: { label: string; value: string; unit?: string; hint?: string; tone?: string; children?: ComponentChildren }) {
  return (
    <div class={`figure ${tone ?? ''}`} title={hint}>
      <dt>{label}</dt>
      <dd>
        <strong>{value}</strong>
        {unit && <span class="unit"> {unit}</span>}
        {children && <div class="below">{children}</div>}
      </dd>
    </div>
  );
}

export function Choice<Value extends string>({ label, value, options, set }: { label: string; value: Value; options: [Value, string][]; set: (value: Value) => void }) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([option, words]) => (
        <button type="button" key={option} aria-pressed={option === value} onClick={() => set(option)}>
          {words}
        </button>
      ))}
    </div>
  );
}

// A message at the foot of the page that goes by itself.
const told = signal<{ text: string; bad: boolean } | null>(null);
let told_until = 0;

export function tell(text: string, bad = false): void {
  told.value = { text, bad };
  window.clearTimeout(told_until);
  told_until = window.setTimeout(() => (told.value = null), bad ? 10000 : 5000);
}

export function tell_problem(problem: unknown): void {
  const known = problem as Problem;
  tell(known.cure ? `${known.message} ${known.cure}` : known.message, true);
}

export function Toast() {
  return (
    <div class="toast-place" role="status" aria-live="polite">
      {told.value && <div class={`toast ${told.value.bad ? 'bad' : ''}`}>{visible(told.value.text)}</div>}
    </div>
  );
}

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current?.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog ref={box} onCancel={close} onClose={close} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

export function Meter({ part, label }: { part: number; label: string }) {
  const width = `${Math.max(0, Math.min(1, part)) * 100}%`;
  return (
    <div class="meter" role="img" aria-label={label}>
      <i style={{ width }} />
    </div>
  );
}

// Changes of the last days, a bar each.
export function Spark({ counts }: { counts: number[] | undefined }) {
  if (!counts) return <span class="spark" />;
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <svg class="spark" viewBox={`0 0 ${counts.length * 5} 16`} role="img" aria-label={`${total} changes in ${counts.length} days`}>
      {counts.map((count, day) => {
        const height = count === 0 ? 1 : 2 + (14 * count) / most;
        return <rect key={day} class={count === 0 ? 'none' : ''} x={day * 5} y={16 - height} width={4} height={height} />;
      })}
    </svg>
  );
}
