// Figures in words, short and always with the same number of digits.
export const unknown = '–';

export function number(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return unknown;
  return value.toLocaleString('en-GB', { maximumFractionDigits: digits, minimumFractionDigits: 0 });
}

// Three digits that count.
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return unknown;
  const size = Math.abs(value);
  if (size > 0 && size < 0.1) return number(value, Math.min(12, 2 - Math.floor(Math.log10(size))));
  return number(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

// For the axis of a chart: 1.5 M.
export function short(value: number): string {
  return value.toLocaleString('en', { notation: 'compact', maximumSignificantDigits: 3 });
}

export function percent(part: number | null | undefined): string {
  if (part === null || part === undefined || !Number.isFinite(part)) return unknown;
  const value = part * 100;
  if (value > 0 && value < 0.01) return '< 0.01 %';
  return `${number(value, value < 1 ? 2 : value < 10 ? 1 : 0)} %`;
}

const units: [number, string][] = [
  [86400 * 365, 'y'],
  [86400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return unknown;
  const size = Math.abs(seconds);
  if (size < 1) return size < 0.0005 ? '0 s' : `${Math.round(size * 1000)} ms`;
  for (const [length, unit] of units) {
    if (size < length) continue;
    const count = size / length;
    return `${number(count, count < 10 && length > 1 ? 1 : 0)} ${unit}`;
  }
  return `${Math.round(size)} s`;
}

export function seconds_since(time: string | null | undefined, now: number): number | null {
  return time ? (now - Date.parse(time)) / 1000 : null;
}

export function ago(time: string | null | undefined, now: number): string {
  const seconds = seconds_since(time, now);
  if (seconds === null) return unknown;
  // What has happened is never ahead of us: our clock moves once a second.
  return seconds < 1 ? 'now' : `${duration(seconds)} ago`;
}

export function until(time: string | null | undefined, now: number): string {
  const seconds = seconds_since(time, now);
  if (seconds === null) return unknown;
  // Our clock moves once a second.
  return seconds > -1 ? 'due' : `in ${duration(-seconds)}`;
}

export function rate_per_day(rate: number | null | undefined, bound?: string | null): string {
  if (rate === null || rate === undefined) return unknown;
  const mark = bound === 'upper' ? '≤ ' : bound === 'lower' ? '≥ ' : '';
  if (rate >= 24 * 60) return `${mark}${figure(rate / 1440)} per min`;
  if (rate >= 24) return `${mark}${figure(rate / 24)} per h`;
  if (rate >= 1 || rate === 0) return `${mark}${figure(rate)} per day`;
  if (rate >= 1 / 30) return `${mark}${figure(rate * 30)} per month`;
  return `${mark}${figure(rate * 365)} per year`;
}

export function budget(per_second: number | null | undefined): string {
  if (per_second === null || per_second === undefined) return 'unlimited';
  if (per_second >= 1) return `${figure(per_second)} per s`;
  if (per_second * 60 >= 1) return `${figure(per_second * 60)} per min`;
  return `${figure(per_second * 3600)} per h`;
}

export function clock(time: string | number): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

// Moments of an axis, in seconds: times of the day, with the day where it is another than before.
export function times_of_axis(moments: number[]): string[] {
  let before = '';
  return moments.map((moment) => {
    const at = new Date(moment * 1000);
    const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
    const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
    const text = day === before ? time : `${time}\n${day}`;
    before = day;
    return text;
  });
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  return count < 1 << 20 ? `${number(count / 1024, 1)} KB` : `${number(count / (1 << 20), 1)} MB`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

// Characters that turn the direction of text or cannot be seen, written out: ‹U+202E›. What a page says is data.
export function visible(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (sign) => `‹U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`,
  );
}

export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) * 0.6);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}
