import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, reachable, type Problem, type Query } from './api';

export interface Loaded<Answer> {
  data: Answer | null;
  problem: Problem | null;
  again: () => void;
}

interface Held<Answer> {
  key: string | null; // of the question that this answers
  data: Answer | null;
  problem: Problem | null;
}

interface Manner {
  every_ms?: number; // asked again so often, while the tab is seen
  keep?: boolean; // the answer to the question before stays until the new one comes
}

// The answer to a question, asked again when it changes. An answer is never shown for another question, but where the
// view says that it may stay for a moment (a slider that moves); not when the new question fails. What the daemon did not
// answer at all is asked again as soon as it answers others.
export function useApi<Answer>(path: string | null, query: Query = {}, { every_ms = 0, keep = false }: Manner = {}): Loaded<Answer> {
  const [held, hold] = useState<Held<Answer>>({ key: null, data: null, problem: null });
  const [turn, set_turn] = useState(0);
  const key = path === null ? null : path + JSON.stringify(query);
  useEffect(() => {
    if (path === null) return undefined;
    const stop = new AbortController();
    get<Answer>(path, query, stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) hold({ key, data, problem: null });
      },
      (problem: Problem) => {
        if (!stop.signal.aborted) hold((before) => ({ key, data: before.key === key ? before.data : null, problem }));
      },
    );
    return () => stop.abort();
  }, [key, turn]);
  useEffect(() => {
    if (every_ms === 0) return undefined;
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'visible') set_turn((before) => before + 1);
    }, every_ms);
    return () => window.clearInterval(timer);
  }, [every_ms]);
  const answers = held.key === key;
  const unheard = answers && held.problem?.status === 0;
  const there = reachable.value;
  useEffect(() => {
    if (there && unheard) set_turn((before) => before + 1);
  }, [there, unheard]);
  return {
    data: answers || keep ? held.data : null,
    problem: answers ? held.problem : null,
    again: useCallback(() => set_turn((before) => before + 1), []),
  };
}

// The value, once it has not changed for a while.
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, set] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => set(value), ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

// Keys of a view; not while somebody writes or a dialog is open.
export function useKeys(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const held = useRef(keys);
  held.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target as HTMLElement | null;
      if (target?.closest('input:not([type=checkbox]), textarea, select, dialog')) return;
      const act = held.current[event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

export function useSize<Element extends HTMLElement>(): [{ current: Element | null }, { width: number; height: number }] {
  const box = useRef<Element | null>(null);
  const [size, set_size] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!box.current) return undefined;
    const watcher = new ResizeObserver(([entry]) => {
      if (entry) set_size({ width: Math.floor(entry.contentRect.width), height: Math.floor(entry.contentRect.height) });
    });
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  return [box, size];
}
