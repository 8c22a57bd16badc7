// Light, dark or what the system says; kept in the browser.
import { effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';
const key = 'pollux-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

function stored(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto';
  }
}

export const theme = signal<Theme>(stored());
export const dark = signal(false);

export function set_theme(value: Theme): void {
  theme.value = value;
  try {
    localStorage.setItem(key, value);
  } catch {
    // private windows of some browsers keep nothing
  }
}

function follow(): void {
  dark.value = theme.value === 'auto' ? system.matches : theme.value === 'dark';
  document.documentElement.dataset.theme = dark.value ? 'dark' : 'light';
}

system.addEventListener('change', follow);
effect(follow);

// A colour of style/tokens.css, for what is drawn on a canvas.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export const still = matchMedia('(prefers-reduced-motion: reduce)');
