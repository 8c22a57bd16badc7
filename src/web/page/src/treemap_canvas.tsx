import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useSize } from './hooks';
import { colour, dark, still } from './theme';
import { between, draw, Layout, rate_limits, shade, type Box, type Drawn, type Shade } from './treemap';
import type { Cell } from './types';
import { health_class } from './ui';

const moving_ms = 700;

interface Props {
  cells: Cell[];
  by: Shade;
  label: (cell: Cell) => string;
  focus: string | null;
  set_focus: (focus: Drawn | null) => void;
  open: (cell: Drawn) => void;
  leave: () => void; // Escape: a level up
  placed: (cells: Drawn[]) => void;
}

// The nearest leaf in a direction, for the arrow keys.
function neighbour(cells: Drawn[], from: Drawn | undefined, key: string): Drawn | null {
  const leaves = cells.filter(({ leaf }) => leaf);
  if (!from) return leaves[0] ?? null;
  const middle = (cell: Drawn) => ({ x: (cell.x0 + cell.x1) / 2, y: (cell.y0 + cell.y1) / 2 });
  const here = middle(from);
  let best: Drawn | null = null;
  let least = Infinity;
  for (const cell of leaves) {
    if (cell.key === from.key) continue;
    const there = middle(cell);
    const [along, across] =
      key === 'ArrowRight' ? [cell.x0 - from.x1, there.y - here.y] : key === 'ArrowLeft' ? [from.x0 - cell.x1, there.y - here.y] : key === 'ArrowDown' ? [cell.y0 - from.y1, there.x - here.x] : [from.y0 - cell.y1, there.x - here.x];
    if (along < -0.5) continue;
    const distance = along * 3 + Math.abs(across);
    if (distance < least) [best, least] = [cell, distance];
  }
  return best;
}

export function TreemapCanvas(props: Props) {
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const layout = useRef(new Layout());
  const shown = useRef<Drawn[]>([]);
  const frame = useRef(0);
  const cells = useMemo(() => (size.width > 0 ? layout.current.place(props.cells, size.width, size.height) : []), [props.cells, size.width, size.height]);
  const limits = useMemo(() => rate_limits(cells), [cells]);
  const look = useRef({ ...props, limits });
  look.current = { ...props, limits };

  const paint = (list: Drawn[]) => {
    if (!canvas.current) return;
    const now = look.current;
    draw(canvas.current, list, size.width, size.height, {
      colour: (cell) => shade(cell, now.by, now.limits, health_class),
      label: now.label,
      ground: colour('surface'),
      focus: now.focus,
      accent: colour('change'),
    });
  };

  useEffect(() => {
    props.placed(cells);
    cancelAnimationFrame(frame.current);
    const before = new Map<string, Box>(shown.current.map((cell) => [cell.key, cell]));
    const begin = performance.now();
    const step = (at: number) => {
      const part = before.size === 0 || still.matches ? 1 : Math.min(1, (at - begin) / moving_ms);
      const eased = 1 - (1 - part) ** 3;
      shown.current = between(before, cells, eased);
      paint(shown.current);
      if (part < 1) frame.current = requestAnimationFrame(step);
    };
    step(begin);
    return () => cancelAnimationFrame(frame.current);
  }, [cells]);
  useEffect(() => paint(shown.current), [props.by, props.focus, dark.value]);

  const at = (event: MouseEvent): Drawn | null => {
    const { offsetX: x, offsetY: y } = event;
    return cells.find((cell) => cell.leaf && x >= cell.x0 && x < cell.x1 && y >= cell.y0 && y < cell.y1) ?? null;
  };
  const press = (event: KeyboardEvent) => {
    const focused = cells.find(({ key }) => key === props.focus);
    if (event.key.startsWith('Arrow')) props.set_focus(neighbour(cells, focused, event.key) ?? focused ?? null);
    else if (event.key === 'Enter' || event.key === ' ') {
      if (focused) props.open(focused);
    } else if (event.key === 'Escape' || event.key === 'Backspace') props.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="treemap"
      ref={box}
      tabIndex={0}
      role="application"
      aria-label="Shares of the budget as areas. Arrow keys move, Enter opens, Escape goes a level up. The table below says the same."
      aria-describedby="treemap-words"
      onKeyDown={press}
    >
      <canvas ref={canvas} aria-hidden="true" onMouseMove={(event) => props.set_focus(at(event))} onMouseLeave={() => props.set_focus(null)} onClick={(event) => {
        const cell = at(event);
        if (cell) props.open(cell);
      }} />
    </div>
  );
}
