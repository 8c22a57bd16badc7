// Where we are: '#/pages?tag=news'. The part behind '#' never reaches the server, so that every base path works.
import { signal } from '@preact/signals';

export interface Place {
  view: string;
  query: URLSearchParams;
}

function read(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return { view: path || 'overview', query: new URLSearchParams(query) };
}

export const place = signal<Place>(read());
window.addEventListener('hashchange', () => (place.value = read()));

export function link(view: string, query: Record<string, string | null | undefined> = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) words.set(name, value);
  const text = words.toString();
  return `#/${view}${text ? `?${text}` : ''}`;
}

export function go(view: string, query: Record<string, string | null | undefined> = {}): void {
  location.hash = link(view, query);
}

// Changes the query of this view without a step in the history.
export function refine(query: Record<string, string | null | undefined>): void {
  const now = Object.fromEntries(place.value.query);
  history.replaceState(null, '', link(place.value.view, { ...now, ...query }));
  place.value = read();
}
