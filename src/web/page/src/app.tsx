// The frame around the views: log-in, navigation, and what is wrong right now.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FunctionComponent } from 'preact';
import { log_out, open_session, reachable, session, type Problem } from './api';
import { budget, percent } from './format';
import { connection, start_live, status, unread } from './live';
import { link, place } from './route';
import { set_theme, theme, type Theme } from './theme';
import { Dialog, tell_problem, Toast, Trouble } from './ui';
import { useKeys } from './hooks';
import { Overview } from './views/overview';
import { LogIn } from './views/login';
import { Budget } from './views/budget';
import { Changes } from './views/changes';
import { Pages } from './views/pages';
import { PageView } from './views/page';
import { WhatIf } from './views/whatif';
import { Lab } from './views/lab';
import { Add } from './views/add';

interface View {
  name: string;
  words: string;
  key: string;
  path: string; // of its icon
  component: FunctionComponent;
}

const views: View[] = [
  { name: 'overview', words: 'Overview', key: '1', path: 'M3 13h4V21H3zM10 3h4V21h-4zM17 8h4V21h-4z', component: Overview },
  { name: 'budget', words: 'Where the budget goes', key: '2', path: 'M3 3h10v18H3zM15 3h6v8h-6zM15 13h6v8h-6z', component: Budget },
  { name: 'changes', words: 'Changes', key: '3', path: 'M4 5h16v2H4zM4 11h16v2H4zM4 17h10v2H4z', component: Changes },
  { name: 'pages', words: 'Pages', key: '4', path: 'M3 4h18v4H3zM3 10h5v10H3zM10 10h11v10H10z', component: Pages },
  { name: 'whatif', words: 'What if', key: '5', path: 'M4 11h8V5h4v6h4v2h-4v6h-4v-6H4z', component: WhatIf },
  { name: 'lab', words: 'Lab', key: '6', path: 'M9 3h6v2h-1v5l6 9v2H4v-2l6-9V5H9z', component: Lab },
  { name: 'add', words: 'Add pages', key: '7', path: 'M10 4h4v6h6v4h-6v6h-4v-6H4v-4h6z', component: Add },
];
const hidden: Record<string, FunctionComponent> = { page: PageView };

function Navigation() {
  const here = place.value.view === 'page' ? 'pages' : place.value.view;
  return (
    <nav aria-label="Views">
      {views.map((view) => (
        <a key={view.name} href={link(view.name)} aria-current={view.name === here ? 'page' : undefined} title={`${view.words} (key ${view.key})`}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d={view.path} />
          </svg>
          <span>{view.words}</span>
          {view.name === 'changes' && unread.value > 0 && here !== 'changes' && <b class="count">{unread.value > 999 ? '999+' : unread.value}</b>}
        </a>
      ))}
    </nav>
  );
}

function State() {
  const now = status.value;
  const lost = connection.value === 'lost' || !reachable.value;
  const words = lost ? 'Disconnected' : now && !now.healthy ? 'Needs attention' : connection.value === 'live' ? 'Live' : 'Connecting';
  const kind = lost ? 'bad' : now && !now.healthy ? 'warn' : connection.value === 'live' ? 'good' : 'quiet';
  return (
    <div class="state" role="status">
      <span class={`dot ${kind}`} />
      <span class="state-word">{words}</span>
      {now && (
        <span class="faint state-more">
          {budget(now.budget)}
          {now.budget_used !== null && `, ${percent(now.budget_used)} used`}
        </span>
      )}
    </div>
  );
}

const next_theme: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };
const theme_words: Record<Theme, string> = { auto: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' };

function Alarms() {
  const now = status.value;
  return (
    <>
      {!reachable.value && (
        <div class="note bad" role="alert">
          <strong>The daemon does not answer.</strong> What you see is what it said last. The page tries again by itself; <code>pollux status</code> tells
          whether it runs.
        </div>
      )}
      {now?.alert && (
        <div class="note bad" role="alert">
          <strong>{now.alert}</strong> Polling goes on, results wait in memory, and what is shown here is older.
        </div>
      )}
      {now?.reload_refused && (
        <div class="note warn">
          <strong>The last reload was refused</strong>, the old configuration stays in force: {now.reload_refused}
        </div>
      )}
    </>
  );
}

function Shortcuts({ close }: { close: () => void }) {
  const keys: [string, string][] = [
    ...views.map((view): [string, string] => [view.key, view.words]),
    ['j / k', 'Changes, pages: next, previous'],
    ['o or Enter', 'Open'],
    ['m', 'Changes: mark as read'],
    ['n', 'Changes: this is noise'],
    ['x', 'Pages: select'],
    ['/', 'Search'],
    ['?', 'These keys'],
  ];
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function Frame() {
  const [keys, show_keys] = useState(false);
  const main = useRef<HTMLElement>(null);
  const view = place.value.view;
  const Component = views.find(({ name }) => name === view)?.component ?? hidden[view];
  useKeys({
    ...Object.fromEntries(views.map(({ name, key }) => [key, () => (location.hash = link(name))])),
    '?': () => show_keys(true),
    '/': () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
  });
  useEffect(() => {
    document.title = `${views.find(({ name }) => name === view)?.words ?? 'Page'} · Pollux`;
    window.scrollTo(0, 0);
  }, [view]);
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="#/">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect class="b0" width="32" height="32" rx="7" />
            <rect class="b1" x="6" y="6" width="11" height="20" rx="2" />
            <rect class="b2" x="19" y="6" width="7" height="11" rx="2" />
            <rect class="b3" x="19" y="19" width="7" height="7" rx="2" />
          </svg>
          Pollux
        </a>
        <State />
        <div class="tools">
          <button type="button" class="plain" onClick={() => set_theme(next_theme[theme.value])}>
            {theme_words[theme.value]}
          </button>
          <button type="button" class="plain wide-only" onClick={() => show_keys(true)}>
            Keys
          </button>
          {session.value?.needs_password && (
            <button type="button" class="plain" onClick={() => void log_out().catch(tell_problem)}>
              Log out
            </button>
          )}
        </div>
      </header>
      <Navigation />
      <main id="main" ref={main} tabIndex={-1}>
        <Alarms />
        {Component ? (
          <Component />
        ) : (
          <div class="empty">
            <h1>There is no such view</h1>
            <a href="#/">To the overview</a>
          </div>
        )}
      </main>
      <Toast />
      {keys && <Shortcuts close={() => show_keys(false)} />}
    </div>
  );
}

export function App() {
  const [problem, set_problem] = useState<Problem | null>(null);
  const [turn, set_turn] = useState(0);
  useEffect(() => {
    open_session().then(() => set_problem(null), set_problem);
  }, [turn]);
  useEffect(() => {
    if (!problem) return undefined;
    const timer = window.setTimeout(() => set_turn(turn + 1), 3000);
    return () => window.clearTimeout(timer);
  }, [problem, turn]);
  const allowed = session.value?.authenticated ?? false;
  useEffect(() => {
    if (allowed) start_live();
  }, [allowed]);
  if (problem && !session.value) {
    return (
      <main class="alone">
        <h1>Pollux</h1>
        <Trouble problem={problem} again={() => set_turn(turn + 1)} />
      </main>
    );
  }
  if (!session.value) {
    return (
      <main class="alone" aria-busy="true">
        <h1>Pollux</h1>
        <p class="faint">Connecting to the daemon …</p>
      </main>
    );
  }
  return allowed ? <Frame /> : <LogIn />;
}
