// The rows of a long table, a chunk at a time: one is read at once, and always one of those that are wanted now. Those
// far from what is seen are let go and read again when needed. Bounded: `most_kept` chunks.
import { get, type Problem, type Query } from './api';
import type { Page, PageRows } from './types';

const chunk_rows = 200;
const most_kept = 30;

export class Rows {
  total = 0;
  problem: Problem | null = null;
  private readonly chunks = new Map<number, Page[]>();
  private readonly cursors = new Map<number, string>(); // where a chunk begins, as the one before it says
  private from = 0; // chunks that are wanted
  private to = 0;
  private reading = false;
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

  // Reads what is missing of the rows from `first` to `last`.
  want(first: number, last: number): void {
    this.from = Math.floor(first / chunk_rows);
    this.to = Math.floor(Math.max(first, last) / chunk_rows);
    if (!this.reading && !this.problem) void this.read();
  }

  // After a failure.
  again(): void {
    this.problem = null;
    if (!this.reading) void this.read();
  }

  private missing(): number | null {
    for (let chunk = this.from; chunk <= this.to; ++chunk) if (!this.chunks.has(chunk)) return chunk;
    return null;
  }

  // A cursor where there is one: what has moved since then is neither told twice nor left out.
  private start(chunk: number): Query {
    if (chunk === 0) return {};
    const after = this.cursors.get(chunk);
    return after === undefined ? { offset: chunk * chunk_rows } : { after };
  }

  private async read(): Promise<void> {
    this.reading = true;
    try {
      for (let chunk = this.missing(); chunk !== null; chunk = this.missing()) {
        const answer = await get<PageRows>('/pages', { ...this.query, limit: chunk_rows, ...this.start(chunk) }, this.stop.signal);
        this.chunks.set(chunk, answer.pages);
        this.total = answer.total;
        if (answer.next) this.cursors.set(chunk + 1, answer.next);
        for (const kept of this.chunks.keys()) {
          if (this.chunks.size <= most_kept) break;
          if (kept < this.from - 2 || kept > this.to + 2) this.chunks.delete(kept);
        }
        this.changed();
      }
    } catch (problem) {
      if (this.stop.signal.aborted) return;
      this.problem = problem as Problem;
      this.changed();
    } finally {
      this.reading = false;
    }
  }
}
