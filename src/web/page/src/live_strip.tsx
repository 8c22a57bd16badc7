// Polls and changes as they happen: a column per second, the newest at the right.
import { useEffect, useRef } from 'preact/hooks';
import { useSize } from './hooks';
import { type Happening, listen } from './live';
import { colour, dark } from './theme';

interface Second {
  polls: number;
  changes: number;
  errors: number;
}

const width_of_second = 6;
const most_seconds = 600;

// Kept beside the view, so that coming back shows what happened meanwhile.
const seconds = new Map<number, Second>();

function count(events: Happening[]): void {
  for (const event of events) {
    if (event.what !== 'poll' && event.what !== 'change') continue;
    const at = Math.floor(Date.parse(event.at) / 1000);
    let second = seconds.get(at);
    if (!second) seconds.set(at, (second = { polls: 0, changes: 0, errors: 0 }));
    if (event.what === 'change') second.changes += 1;
    else second.polls += 1;
    if (event.failed) second.errors += 1;
  }
  while (seconds.size > most_seconds) seconds.delete(seconds.keys().next().value as number);
}

listen(count);

function draw(canvas: HTMLCanvasElement, width: number, height: number): void {
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.scale(scale, scale);
  const now = Math.floor(Date.now() / 1000);
  const columns = Math.floor(width / width_of_second);
  let most = 4;
  for (let back = 0; back < columns; ++back) most = Math.max(most, seconds.get(now - back)?.polls ?? 0);
  const middle = Math.round(height * 0.6);
  const [poll, change, error, line] = [colour('poll'), colour('change'), colour('bad'), colour('line')];
  for (let back = 0; back < columns; ++back) {
    const second = seconds.get(now - back);
    if (!second) continue;
    const x = width - (back + 1) * width_of_second;
    const bar = (count_of: number, room: number) => (count_of === 0 ? 0 : Math.max(2, (room * count_of) / most));
    const up = bar(second.polls, middle - 4);
    pen.fillStyle = poll;
    pen.fillRect(x, middle - up, width_of_second - 2, up);
    if (second.errors > 0) {
      const failed = bar(second.errors, middle - 4);
      pen.fillStyle = error;
      pen.fillRect(x, middle - failed, width_of_second - 2, failed);
    }
    if (second.changes > 0) {
      pen.fillStyle = change;
      pen.fillRect(x, middle + 2, width_of_second - 2, Math.min(height - middle - 2, Math.max(3, ((height - middle) * second.changes) / most)));
    }
  }
  pen.fillStyle = line;
  pen.fillRect(0, middle, width, 1);
}

export function LiveStrip() {
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const again = () => {
      if (canvas.current && size.width > 0 && document.visibilityState === 'visible') draw(canvas.current, size.width, 96);
    };
    again();
    const timer = window.setInterval(again, 500);
    const stop = listen(again);
    return () => {
      window.clearInterval(timer);
      stop();
    };
  }, [size.width, dark.value]);
  return (
    <div class="strip" ref={box}>
      <canvas ref={canvas} role="img" aria-label="Polls and changes of the last minutes, a column per second" />
    </div>
  );
}
