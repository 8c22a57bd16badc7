// What the API answers, as far as the page reads it. Times are ISO texts, shares fractions of 1.
export type Time = string | null;

export interface Session {
  authenticated: boolean;
  needs_password: boolean;
  scope: 'read' | 'steer' | null;
  csrf: string | null;
  version: string;
  base_path: string;
}

export interface Status {
  running: boolean;
  healthy: boolean;
  alert: string | null;
  started_at: Time;
  version: string | null;
  policy: string | null;
  reload_refused: string | null;
  reloaded_at: Time;
  budget: number | null;
  file_budget: number | null;
  budget_used: number | null;
  max_interval_stretch: number | null;
  pages: { active: number; paused: number; removed: number; failing: number; hosts: number };
  deliveries: { waiting: number; sent: number; dead: number };
  polls: number;
  changes: number;
  errors: number;
}

export interface Minute {
  minute: string;
  requests: number;
  polls: number;
  allowed?: number | null;
  changes: number;
  errors: number;
  looks: number;
  looks_found: number;
  explored: number;
}

export interface Overview {
  hours: { hour: string; found: number; uniform: number }[];
  expected_per_hour: number | null;
  uniform_per_hour: number | null;
  health: Record<string, number>;
  pages: number;
  paused: number;
}

export interface Page {
  id: number;
  url: string;
  host: string;
  state: string;
  name: string | null;
  tags: string[];
  importance: number;
  polls: number;
  changes: number;
  errors: number;
  last_polled_at: Time;
  last_changed_at: Time;
  last_error: string | null;
  error_streak: number;
  paused_until: Time;
  health: string | null;
  health_reason: string | null;
  share: number;
  next_due_at: Time;
  change_rate_per_day: number | null;
  change_rate_bound: string | null;
  outdated_probability: number | null;
  next_change_expected_at: Time;
  poll_interval_s: number | null;
  planned_share: number | null;
}

export interface Mask {
  id: number;
  state: string;
  made_at: Time;
  last_matched_at: Time;
  kind: string | null;
  before: string[] | null;
  after: string[] | null;
  ignore: string | null;
}

export interface PageDetail extends Page {
  known_polls?: { at: string; outcome: string }[]; // the newest first
  source: string | null;
  min_interval_ms: number;
  max_interval_ms: number;
  added_at: Time;
  measured_interval_s: number | null;
  measured_share: number | null;
  rank: number;
  active_pages: number;
  overrides: Record<string, unknown> | null;
  masks: Mask[];
  content: { rule: string; where: string }[] | null;
  rules: Record<string, unknown> | null;
  forecast: { expected_at: Time; chance_next_hour: number | null; chance_next_day: number | null } | null;
  explanation: { topic: string; text: string }[];
}

export interface PageRows {
  pages: Page[];
  next: string | null;
  total: number;
}

export interface Change {
  id: number;
  url: string;
  name: string | null;
  tags: string[];
  found_at: string;
  previous_poll_at: string;
  body_bytes: number;
  words_added: number | null;
  words_removed: number | null;
  summary: string | null;
  read_at: Time;
}

export type Edit = 'keep' | 'remove' | 'add';
export interface Span {
  edit: Edit;
  text: string;
}
export type DiffLine = { folded: number } | { spans: Span[] };

export interface Diff {
  url: string;
  from: { number: number; at: string };
  to: { number: number; at: string };
  words_added: number;
  words_removed: number;
  summary: string | null;
  lines: DiffLine[];
  cut?: boolean;
}

export interface Version {
  number: number;
  at: string;
  hash: string;
  bytes: number;
  words_added: number | null;
  words_removed: number | null;
  summary: string | null;
}

export interface Cell {
  prefix?: string;
  url?: string;
  label: string;
  kind: 'host' | 'dir' | 'page' | 'tag' | 'others';
  pages: number;
  share: number;
  rate_per_day: number | null;
  outdated: number | null;
  health: string | null;
  cells?: Cell[];
}

export interface Tree {
  prefix: string;
  cells: Cell[];
  total_share: number;
  at: string;
}

export interface Outlook {
  budget: number;
  changes_per_day: number;
  share_caught: number;
  mean_delay_s: number | null;
}

export interface WhatIf extends Outlook {
  now: Outlook;
  curve: Outlook[];
}

export interface Steered {
  done: number;
  unchanged: number;
  refused: number;
  dry_run: boolean;
  pages: { url: string; what: string; why: string | null }[];
}

export interface Trial {
  media_type: string | null;
  encoding: string | null;
  as: string | null;
  kept: string | null;
  matched: { selector: string; nodes: number }[];
  number: number | null;
  suspect: string | null;
  error: string | null;
}

export interface Replay {
  policy: string;
  pages: number;
  polls: number;
  changes: number;
  found: number;
  share: number;
  median_delay_s: number;
  mean_delay_s: number;
  gini: number;
}

export interface LabRun {
  state: 'running' | 'done' | 'failed';
  progress: number | null;
  error?: string | null;
  result: Replay[] | { [name: string]: unknown } | null;
}
