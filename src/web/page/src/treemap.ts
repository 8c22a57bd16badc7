// Shares as areas. A cell's rectangle is exactly its part of the whole: lines between cells are drawn inside of them,
// and nothing is padded. The order of cells and the rows they stand in are kept from one layout to the next, so that
// what learns moves little by little and can be followed with the eye.
import { hierarchy, treemap, treemapResquarify, type HierarchyRectangularNode } from 'd3-hierarchy';
import type { Cell } from './types';

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface Drawn extends Box {
  key: string;
  cell: Cell;
  parent: Cell | null;
  leaf: boolean;
  area: number; // of the whole, 0 to 1
}

interface Node {
  key: string;
  cell: Cell | null;
  value: number;
  children?: Node[];
}

export function key_of(cell: Cell): string {
  return `${cell.kind} ${cell.url ?? cell.prefix ?? cell.label}`;
}

export class Layout {
  private root: HierarchyRectangularNode<Node> | null = null;
  private names = '';
  private size = '';

  // All cells, parents before children.
  place(cells: Cell[], width: number, height: number): Drawn[] {
    const keys = cells.map((cell) => [key_of(cell), ...(cell.cells ?? []).map(key_of)].join('\n')).sort().join('\n');
    const size = `${width}×${height}`;
    if (!this.root || keys !== this.names || size !== this.size) {
      this.root = this.plant(cells);
      this.names = keys;
      this.size = size;
    } else {
      this.update(cells);
    }
    treemap<Node>().tile(treemapResquarify.ratio(1.3)).size([width, height])(this.root);
    const whole = width * height;
    const drawn: Drawn[] = [];
    this.root.eachBefore((node) => {
      const { cell, key } = node.data;
      if (!cell || node.value === 0) return;
      const { x0, y0, x1, y1 } = node;
      drawn.push({ key, cell, parent: node.parent?.data.cell ?? null, leaf: !node.children, x0, y0, x1, y1, area: whole > 0 ? ((x1 - x0) * (y1 - y0)) / whole : 0 });
    });
    return drawn;
  }

  private plant(cells: Cell[]): HierarchyRectangularNode<Node> {
    const node = (cell: Cell): Node => {
      const inner = cell.cells ?? [];
      const made: Node = { key: key_of(cell), cell, value: inner.length > 0 ? 0 : cell.share };
      if (inner.length > 0) made.children = inner.map(node);
      return made;
    };
    const root = hierarchy<Node>({ key: '', cell: null, value: 0, children: cells.map(node) })
      .sum(({ value }) => value)
      .sort((one, other) => (other.value ?? 0) - (one.value ?? 0));
    return root as HierarchyRectangularNode<Node>;
  }

  // The same cells with other shares: the tree stays, and with it the rows.
  private update(cells: Cell[]): void {
    const found = new Map<string, Cell>();
    for (const cell of cells) {
      found.set(key_of(cell), cell);
      for (const inner of cell.cells ?? []) found.set(`${key_of(cell)}\n${key_of(inner)}`, inner);
    }
    this.root?.each((node) => {
      const { data } = node;
      if (!data.cell) return;
      const above = node.parent?.data.cell ? `${node.parent.data.key}\n` : '';
      data.cell = found.get(above + data.key) ?? data.cell;
      data.value = node.children ? 0 : data.cell.share;
    });
    this.root?.sum(({ value }) => value);
  }
}

export type Shade = 'rate' | 'outdated' | 'health';

// Seven steps from pale to deep, one hue family each; the text upon them is dark or white.
const rate_steps = ['#e3edf4', '#c3dbec', '#98c4e1', '#66a6d0', '#3983b8', '#1a6196', '#0c4470'];
const outdated_steps = ['#eef0ea', '#e6dcc3', '#e4c48f', '#dfa558', '#cd8129', '#a85d12', '#7d3f08'];
const health_colours: Record<string, string> = { good: '#9fd3c4', quiet: '#c3ccd3', warn: '#f0b95a', bad: '#c4453b' };
const dark_text = new Set([...rate_steps.slice(0, 4), ...outdated_steps.slice(0, 5), '#9fd3c4', '#c3ccd3', '#f0b95a']);

export function text_upon(colour: string): string {
  return dark_text.has(colour) ? '#10202c' : '#ffffff';
}

// Limits of the steps of a rate: from the smallest to the largest one seen, on a scale of factors.
export function rate_limits(cells: Drawn[]): number[] {
  const rates = cells.filter(({ leaf }) => leaf).map(({ cell }) => per_page(cell)).filter((rate) => rate > 0).sort((one, other) => one - other);
  if (rates.length === 0) return [];
  const least = rates[Math.floor(rates.length * 0.05)] as number;
  const most = Math.max(rates[Math.ceil(rates.length * 0.95) - 1] as number, least * 2);
  return Array.from({ length: rate_steps.length - 1 }, (_, step) => least * (most / least) ** ((step + 1) / rate_steps.length));
}

export function per_page(cell: Cell): number {
  return (cell.rate_per_day ?? 0) / Math.max(1, cell.kind === 'page' ? 1 : cell.pages);
}

export function shade(cell: Cell, by: Shade, limits: number[], health: (health: string | null) => string): string {
  if (by === 'health') return health_colours[health(cell.health)] ?? (health_colours.quiet as string);
  if (by === 'outdated') return outdated_steps[Math.min(6, Math.floor((cell.outdated ?? 0) * 7))] as string;
  const rate = per_page(cell);
  const step = limits.findIndex((limit) => rate < limit);
  return rate_steps[step < 0 ? (limits.length === 0 ? 0 : 6) : step] as string;
}

export const scales: Record<'rate' | 'outdated', string[]> = { rate: rate_steps, outdated: outdated_steps };

// Of hosts the head stays, of paths the end: there they differ.
function fit(pen: CanvasRenderingContext2D, text: string, width: number, keep: 'head' | 'end'): string {
  if (pen.measureText(text).width <= width) return text;
  const cut = (most: number) => (keep === 'head' ? `${text.slice(0, most)}…` : `…${text.slice(text.length - most)}`);
  let most = Math.min(text.length, Math.ceil(width / 4));
  while (most > 1 && pen.measureText(cut(most)).width > width) most -= 1;
  return most > 1 ? cut(most) : '';
}

export interface Look {
  colour: (cell: Cell) => string;
  label: (cell: Cell) => string;
  ground: string;
  focus: string | null; // key of the cell that is pointed at
  accent: string;
}

const least_label = 34;

export function draw(canvas: HTMLCanvasElement, cells: Drawn[], width: number, height: number, look: Look): void {
  const scale = devicePixelRatio;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.fillStyle = look.ground;
  pen.fillRect(0, 0, width, height);
  // Colour by colour: a change of colour costs more than a rectangle.
  const by_colour = new Map<string, Drawn[]>();
  for (const one of cells) {
    if (!one.leaf) continue;
    const colour = look.colour(one.cell);
    const list = by_colour.get(colour);
    if (list) list.push(one);
    else by_colour.set(colour, [one]);
  }
  for (const [colour, list] of by_colour) {
    pen.fillStyle = colour;
    for (const { x0, y0, x1, y1 } of list) pen.fillRect(x0, y0, x1 - x0, y1 - y0);
  }
  pen.strokeStyle = look.ground;
  for (const { x0, y0, x1, y1, leaf } of cells) {
    if (x1 - x0 < 3 || y1 - y0 < 3) continue;
    pen.lineWidth = leaf ? 1 : 3;
    pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
  }
  pen.textBaseline = 'top';
  for (const { x0, y0, x1, y1, leaf, cell } of cells) {
    if (!leaf || x1 - x0 < least_label || y1 - y0 < 18) continue;
    pen.font = '12px system-ui, sans-serif';
    pen.fillStyle = text_upon(look.colour(cell));
    const text = fit(pen, look.label(cell), x1 - x0 - 10, 'end');
    if (text) pen.fillText(text, x0 + 5, y1 - 17);
  }
  for (const { x0, y0, x1, y1, leaf, cell } of cells) {
    if (leaf || x1 - x0 < 60 || y1 - y0 < 40) continue;
    pen.font = '600 12px system-ui, sans-serif';
    const text = fit(pen, look.label(cell), x1 - x0 - 20, 'head');
    if (!text) continue;
    pen.fillStyle = 'rgb(12 26 38 / 82%)';
    pen.fillRect(x0 + 4, y0 + 4, pen.measureText(text).width + 10, 19);
    pen.fillStyle = '#ffffff';
    pen.fillText(text, x0 + 9, y0 + 7.5);
  }
  const focused = cells.find(({ key }) => key === look.focus);
  if (focused) {
    pen.lineWidth = 3;
    pen.strokeStyle = look.accent;
    pen.strokeRect(focused.x0 + 1.5, focused.y0 + 1.5, Math.max(1, focused.x1 - focused.x0 - 3), Math.max(1, focused.y1 - focused.y0 - 3));
  }
}

// Between two layouts; what is new grows from its place.
export function between(before: Map<string, Box>, after: Drawn[], part: number): Drawn[] {
  if (part >= 1) return after;
  const mix = (one: number, other: number) => one + (other - one) * part;
  return after.map((cell) => {
    const old = before.get(cell.key);
    if (!old) return cell;
    return { ...cell, x0: mix(old.x0, cell.x0), y0: mix(old.y0, cell.y0), x1: mix(old.x1, cell.x1), y1: mix(old.y1, cell.y1) };
  });
}
