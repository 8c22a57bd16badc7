// Events of the daemon, one connection for all tabs: the tab that holds a lock reads the stream and tells the others
// over a channel, a batch four times a second. Browsers allow six connections per server over HTTP/1.1, and a stream
// holds one for ever. (A shared worker would be simpler, but its address is script under trusted types.)
import { signal } from '@preact/signals';
import { address, get, open_session, session } from './api';
import type { Status } from './types';

export interface Happening {
  what: 'poll' | 'change' | 'health' | 'gap';
  at: string;
  url: string;
  name: string | null;
  outcome?: string; // in words
  failed?: boolean; // the poll saw no content
  id?: number;
  summary?: string | null;
  health?: string | null;
  reason?: string | null;
  missed?: number;
  ms?: number;
}

export type Connection = 'connecting' | 'live' | 'lost';
type Message = { kind: 'events'; events: Happening[] } | { kind: 'state'; state: Connection } | { kind: 'who' };

const batch_ms = 250;
const most_in_batch = 1000; // more in one batch are counted as a gap
const status_ms = 4000;

export const connection = signal<Connection>('connecting');
export const status = signal<Status | null>(null);
export const now = signal(Date.now());
export const unread = signal(0); // changes that came since the list of changes was last looked at

const listeners = new Set<(events: Happening[]) => void>();

export function listen(listener: (events: Happening[]) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function deliver(events: Happening[]): void {
  for (const listener of listeners) listener(events);
}

// Reads the stream until the tab goes; never ends.
function lead(tell: (message: Message) => void): void {
  let waiting: Happening[] = [];
  let missed = 0;
  let timer = 0;
  const flush = () => {
    timer = 0;
    if (missed > 0) waiting.push({ what: 'gap', at: new Date().toISOString(), url: '', name: null, missed });
    tell({ kind: 'events', events: waiting });
    waiting = [];
    missed = 0;
  };
  const take = (what: Happening['what']) => (event: MessageEvent<string>) => {
    if (waiting.length >= most_in_batch) missed += 1;
    else waiting.push({ what, ...(JSON.parse(event.data) as Omit<Happening, 'what'>) });
    if (timer === 0) timer = window.setTimeout(flush, batch_ms);
  };
  const connect = (delay: number) => {
    const source = new EventSource(address('/events'));
    for (const what of ['poll', 'change', 'health', 'gap'] as const) source.addEventListener(what, take(what));
    source.onopen = () => {
      delay = 1000;
      tell({ kind: 'state', state: 'live' });
    };
    source.onerror = () => {
      tell({ kind: 'state', state: 'lost' });
      if (source.readyState !== EventSource.CLOSED) return; // it tries again by itself
      const again = Math.min(delay * 2, 15000);
      window.setTimeout(() => {
        void open_session().catch(() => undefined);
        connect(again);
      }, delay);
    };
  };
  connect(1000);
}

let started = false;

// Once for the life of the tab: another log-in finds everything at work, a lost stream connects again by itself.
export function start_live(): void {
  if (started) return void refresh_status();
  started = true;
  const take = (message: Message) => {
    if (message.kind === 'events') deliver(message.events);
    else if (message.kind === 'state') connection.value = message.state;
  };
  if (typeof BroadcastChannel === 'undefined' || !navigator.locks) {
    lead(take); // an old browser, or neither TLS nor loopback: one connection per tab
  } else {
    const name = `pollux ${new URL('.', location.href).pathname}`;
    const channel = new BroadcastChannel(name);
    let leads = false;
    channel.onmessage = (event: MessageEvent<Message>) => {
      if (event.data.kind !== 'who') take(event.data);
      else if (leads) channel.postMessage({ kind: 'state', state: connection.value });
    };
    channel.postMessage({ kind: 'who' });
    void navigator.locks.request(name, () => {
      leads = true;
      lead((message) => {
        take(message);
        channel.postMessage(message);
      });
      return new Promise(() => undefined); // held until the tab goes
    });
  }
  listen((events) => {
    const found = events.filter((event) => event.what === 'change').length;
    if (found > 0) unread.value += found;
  });
  window.setInterval(() => (now.value = Date.now()), 1000);
  void refresh_status();
  window.setInterval(() => {
    if (document.visibilityState === 'visible') void refresh_status();
  }, status_ms);
}

export async function refresh_status(): Promise<void> {
  if (session.value && !session.value.authenticated) return;
  try {
    status.value = await get<Status>('/status');
  } catch {
    // `reachable` tells it already
  }
}
