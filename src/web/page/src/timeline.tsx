// Polls and changes of a page on a line of time, and when the next change is expected.
import { clock } from './format';
import { now } from './live';
import { useSize } from './hooks';

interface Props {
  polls: { at: string; outcome: string }[];
  changes: string[];
  expected: string | null;
  due: string | null;
}

const height = 84;

export function Timeline({ polls, changes, expected, due }: Props) {
  const [box, size] = useSize<HTMLDivElement>();
  const moment = now.value;
  const times = [...polls.map(({ at }) => Date.parse(at)), ...changes.map((at) => Date.parse(at))];
  const first = Math.min(moment - 1000, ...times);
  const past = moment - first;
  const future = Math.max(past * 0.12, Math.min(past, Math.max(0, ...[expected, due].map((at) => (at ? Date.parse(at) - moment : 0)))));
  const x = (at: number) => ((at - first) / (past + future)) * (size.width - 16) + 8;
  const expected_at = expected ? Date.parse(expected) : null;
  const words = `${polls.length} polls and ${changes.length} changes since ${clock(first)}`;
  return (
    <div class="timeline" ref={box}>
      {size.width > 0 && (
        <svg width={size.width} height={height} role="img" aria-label={words}>
          <rect class="future" x={x(moment)} y={0} width={Math.max(0, size.width - x(moment))} height={60} />
          <line class="base" x1={0} x2={size.width} y1={44} y2={44} />
          {polls.map(({ at, outcome }, index) => (
            <line key={index} class={outcome === 'error' ? 'error' : 'poll'} x1={x(Date.parse(at))} x2={x(Date.parse(at))} y1={34} y2={54}>
              <title>{`${outcome}, ${clock(at)}`}</title>
            </line>
          ))}
          {changes.map((at) => (
            <circle key={at} class="change" cx={x(Date.parse(at))} cy={22} r={5}>
              <title>{`change, ${clock(at)}`}</title>
            </circle>
          ))}
          {expected_at !== null && expected_at > moment && expected_at < moment + future && (
            <circle class="expected" cx={x(expected_at)} cy={22} r={5}>
              <title>{`next change expected, ${clock(expected_at)}`}</title>
            </circle>
          )}
          <line class="now" x1={x(moment)} x2={x(moment)} y1={4} y2={60} />
          <text x={8} y={78}>
            {clock(first)}
          </text>
          <text x={Math.min(x(moment), size.width - 30)} y={78} text-anchor="middle">
            now
          </text>
        </svg>
      )}
    </div>
  );
}
