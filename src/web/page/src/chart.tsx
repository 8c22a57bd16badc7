import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { clock, short } from './format';
import { useSize } from './hooks';
import { colour, dark } from './theme';

export interface Line {
  label: string;
  colour: string; // name of a token
  kind?: 'line' | 'bars' | 'step';
  dash?: number[];
  scale?: string;
  value?: (value: number) => string;
}

export interface ChartProps {
  data: uPlot.AlignedData;
  lines: Line[];
  time?: boolean;
  height?: number;
  summary: string; // what it shows, for those who do not see it
  x?: { log?: boolean; label?: string; value?: (value: number) => string; splits?: number[] };
  y?: (value: number) => string;
  mark?: number | null; // a place on the x axis
  range?: [number, number]; // of the x axis
}

function axis(text: string, grid: string): uPlot.Axis {
  return {
    stroke: text,
    font: '12px system-ui, sans-serif',
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1, size: 4 },
    gap: 4,
  };
}

// As elsewhere on the page: days before months, 24 hours.
function moments(all: number[]): string[] {
  const days = (all[all.length - 1] ?? 0) - (all[0] ?? 0) >= 2 * 86400;
  const form: Intl.DateTimeFormatOptions = days ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' };
  return all.map((at) => new Date(at * 1000).toLocaleString('en-GB', form));
}

function options_of(props: ChartProps, width: number): uPlot.Options {
  const text = colour('faint-text');
  const grid = colour('line');
  const { x, y } = props;
  const bars = uPlot.paths.bars?.({ size: [0.7, 60], align: 0, radius: 0.08 });
  const step = uPlot.paths.stepped?.({ align: 1 });
  return {
    width,
    height: props.height ?? 240,
    cursor: { points: { size: 7 }, drag: { x: false, y: false } },
    legend: { live: true },
    scales: {
      x: { time: props.time ?? false, ...(x?.log ? { distr: 3 as const, log: 10 as const } : {}), ...(props.range ? { range: props.range } : {}) },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] },
    },
    axes: [
      {
        ...axis(text, 'transparent'),
        ...(x?.label ? { label: x.label, labelSize: 20, labelFont: '12px system-ui, sans-serif' } : {}),
        ...(x?.splits ? { splits: x.splits } : {}),
        ...(x?.value ? { values: (_: uPlot, all: number[]) => all.map((one) => (one === null ? '' : x.value!(one))) } : props.time ? { values: (_: uPlot, all: number[]) => moments(all) } : {}),
      },
      { ...axis(text, grid), size: 54, values: (_: uPlot, all: number[]) => all.map((one) => (one >= 10_000 ? short(one) : y ? y(one) : String(one))) },
    ],
    series: [
      { ...(x?.value ? { label: x.label ?? '', value: (_: uPlot, at: number) => (at === null ? '–' : x.value!(at)) } : { label: 'Time', value: (_: uPlot, at: number) => (at === null ? '–' : clock(at * 1000)) }) },
      ...props.lines.map((line): uPlot.Series => {
        const stroke = colour(line.colour);
        return {
          label: line.label,
          stroke,
          width: 2,
          ...(line.dash ? { dash: line.dash } : {}),
          ...(line.kind === 'bars' && bars ? { paths: bars, fill: stroke, points: { show: false } } : {}),
          ...(line.kind === 'step' && step ? { paths: step, points: { show: false } } : {}),
          value: (_, value) => (value === null ? '–' : line.value ? line.value(value) : y ? y(value) : String(value)),
        };
      }),
    ],
    hooks: {
      draw: [
        (plot) => {
          if (props.mark === null || props.mark === undefined) return;
          const at = Math.round(plot.valToPos(props.mark, 'x', true));
          const { ctx, bbox } = plot;
          ctx.save();
          ctx.strokeStyle = colour('change');
          ctx.lineWidth = 2 * devicePixelRatio;
          ctx.setLineDash([5, 4]);
          ctx.beginPath();
          ctx.moveTo(at, bbox.top);
          ctx.lineTo(at, bbox.top + bbox.height);
          ctx.stroke();
          ctx.restore();
        },
      ],
    },
  };
}

export function Chart(props: ChartProps) {
  const [box, size] = useSize<HTMLDivElement>();
  const plot = useRef<uPlot | null>(null);
  const form = JSON.stringify([props.lines, props.time, props.height, props.x?.splits, props.mark, props.range]) + String(dark.value);
  useEffect(() => {
    if (!box.current || size.width === 0) return undefined;
    plot.current = new uPlot(options_of(props, size.width), props.data, box.current);
    return () => {
      plot.current?.destroy();
      plot.current = null;
    };
  }, [form, size.width]);
  useEffect(() => plot.current?.setData(props.data), [props.data]);
  return <div class="chart" ref={box} role="img" aria-label={props.summary} />;
}
