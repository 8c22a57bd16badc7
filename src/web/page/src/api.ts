// Questions to the daemon. URLs are relative to the document, so that any base path works.
import { signal } from '@preact/signals';
import type { Session } from './types';

export class Problem extends Error {
  constructor(
    message: string,
    readonly cure: string | null,
    readonly status: number, // 0: no answer at all
  ) {
    super(message);
  }
}

export const session = signal<Session | null>(null);
export const reachable = signal(true);

export type Query = Record<string, string | number | null | undefined>;

export function address(path: string, query: Query = {}): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return `api/v1${path}${parts.length > 0 ? `?${parts.join('&')}` : ''}`;
}

async function ask<Answer>(where: string, request: RequestInit): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(where, { credentials: 'same-origin', cache: 'no-store', ...request });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    reachable.value = false;
    throw new Problem('The daemon does not answer.', 'Is it running? The page goes on trying.', 0);
  }
  reachable.value = true;
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  if (!response.ok) {
    const told = (body ?? {}) as { error?: string; cure?: string };
    if (response.status === 401 && session.value?.authenticated) session.value = { ...session.value, authenticated: false };
    throw new Problem(told.error ?? `The daemon answered ${response.status}.`, told.cure ?? null, response.status);
  }
  return body as Answer;
}

export function get<Answer>(path: string, query: Query = {}, stop?: AbortSignal): Promise<Answer> {
  return ask<Answer>(address(path, query), stop ? { signal: stop } : {});
}

async function send<Answer>(path: string, body: unknown): Promise<Answer> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (session.value?.csrf) headers['X-Pollux-Csrf'] = session.value.csrf;
  return ask<Answer>(address(path), { method: 'POST', headers, body: JSON.stringify(body) });
}

export async function post<Answer>(path: string, body: unknown = {}): Promise<Answer> {
  try {
    return await send<Answer>(path, body);
  } catch (error) {
    // The daemon was started anew: its word for this session is another one now.
    if (!(error instanceof Problem) || error.status !== 403) throw error;
    const before = session.value?.csrf;
    await open_session();
    if (session.value?.csrf === before) throw error;
    return send<Answer>(path, body);
  }
}

export async function open_session(): Promise<void> {
  session.value = await get<Session>('/session');
}

export async function log_in(password: string): Promise<void> {
  session.value = await send<Session>('/session', { password });
}

export async function log_out(): Promise<void> {
  await post('/session/end');
  await open_session();
}

export function may_steer(): boolean {
  return session.value?.scope !== 'read';
}
