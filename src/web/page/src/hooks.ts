import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, type Problem, type Query } from './api';

export interface Loaded<Answer> {
  data: Answer | null;
  problem: Problem | null;
  loading: boolean;
  again: () => void;
}

// The answer to a question, asked again when it changes, and every `every_ms` while the tab is seen.
// What was there stays until the new answer comes.
export function useApi<Answer>(path: string | null, query: Query = {}, every_ms = 0): Loaded<Answer> {
  const [state, set_state] = useState<{ data: Answer | null; problem: Problem | null; loading: boolean }>({
    data: null,
    problem: null,
    loading: path !== null,
  });
  const [turn, set_turn] = useState(0);
  const key = path === null ? null : path + JSON.stringify(query);
  useEffect(() => {
    if (path === null) return undefined;
    const stop = new AbortController();
    set_state((before) => ({ ...before, loading: true }));
    get<Answer>(path, query, stop.signal).then(
      (data) => set_state({ data, problem: null, loading: false }),
      (problem: Problem) => {
        if (!stop.signal.aborted) set_state((before) => ({ ...before, problem, loading: false }));
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
  return { ...state, again: useCallback(() => set_turn((before) => before + 1), []) };
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
