// The rows of a long table, a chunk at a time. A chunk's cursor stands in the one before it, so that chunks are first
// read in order; those far from what is seen are let go and read again when needed. Bounded: `most_kept` chunks.
import { get, type Problem, type Query } from './api';
import type { Page, PageRows } from './types';

const chunk_rows = 200;
const most_kept = 30;

export class Rows {
  total = 0;
  problem: Problem | null = null;
  private cursors: (string | null)[] = [null];
  private chunks = new Map<number, Page[]>();
  private reading = new Set<number>();
  private readonly stop = new AbortController();

  constructor(
    private readonly query: Query,
    private readonly changed: () => void,
  ) {}

  end(): void {
    this.stop.abort();
  }

  row(index: number): Page | null {
    return this.chunks.get(Math.floor(index / chunk_rows))?.[index % chunk_rows] ?? null;
  }

  known(): Page[] {
    return [...this.chunks.values()].flat();
  }

  // Reads what is missing of the rows from `first` to `last`, and what lies before it as far as nobody knows where
  // that ends.
  want(first: number, last: number): void {
    const from = Math.floor(first / chunk_rows);
    const to = Math.floor(Math.max(first, last) / chunk_rows);
    for (let chunk = from; chunk <= to; ++chunk) {
      if (this.chunks.has(chunk)) continue;
      void this.read(Math.min(chunk, this.cursors.length - 1), to);
      break;
    }
  }

  private async read(chunk: number, goal: number): Promise<void> {
    if (this.reading.has(chunk) || this.problem) return;
    this.reading.add(chunk);
    try {
      const answer = await get<PageRows>('/pages', { ...this.query, limit: chunk_rows, after: this.cursors[chunk] }, this.stop.signal);
      this.chunks.set(chunk, answer.pages);
      const seen = chunk * chunk_rows + answer.pages.length;
      this.total = answer.total ?? Math.max(this.total, seen + (answer.next ? 1 : 0));
      if (answer.next && this.cursors.length === chunk + 1) this.cursors.push(answer.next);
      for (const kept of this.chunks.keys()) {
        if (this.chunks.size <= most_kept) break;
        if (Math.abs(kept - goal) > 2) this.chunks.delete(kept);
      }
      this.reading.delete(chunk);
      this.changed();
      if (chunk < goal && answer.next) void this.read(chunk + 1, goal);
    } catch (problem) {
      this.reading.delete(chunk);
      if (this.stop.signal.aborted) return;
      this.problem = problem as Problem;
      this.changed();
    }
  }
}
