/** A report in a few sentences. */

import { dimensions, type Dimension } from '../indicators.ts'
import type { MeasuredReport } from './report.ts'
import {
  count,
  counted,
  decimal,
  dimensionWords,
  indicatorWords,
  longDay,
  percent,
} from './indicator-texts.ts'

export const summary = (measured: MeasuredReport): readonly string[] =>
  [
    reach(measured),
    standing(measured),
    change(measured),
    strengths(measured),
    greatestGain(measured),
  ].filter((sentence) => sentence !== undefined)

function reach({ datasets, all, distributions }: MeasuredReport): string {
  const files = counted(distributions, 'distribution')
  return datasets >= all
    ? `${all === 1 ? 'The one dataset was' : `All ${count(all)} datasets were`} measured, with ${files}.`
    : `${count(datasets)} of ${counted(all, 'dataset')} ${datasets === 1 ? 'was' : 'were'} measured, with ${files}.`
}

const standing = ({ score, band }: MeasuredReport): string | undefined =>
  score === null || band === undefined
    ? undefined
    : `${count(score)} points are in the band ${band.title} (${count(band.from)} to ${count(band.to)}).`

/** Against the measurement before. */
function change({ history }: MeasuredReport): string | undefined {
  const scored = history.flatMap(({ day, score }) => (score === null ? [] : [{ day, score }]))
  const [before, now] = [scored.at(-2), scored.at(-1)]
  if (now === undefined) return undefined
  if (before === undefined) return 'This is the first measurement.'
  const difference = now.score - before.score
  if (difference === 0) return `The score is the same as on ${longDay(before.day)}.`
  const step = counted(Math.abs(difference), 'point')
  return `The score is ${step} ${difference > 0 ? 'higher' : 'lower'} than on ${longDay(before.day)} (${count(before.score)}).`
}

function strengths({ dimensions: scores }: MeasuredReport): string | undefined {
  const known = dimensions
    .flatMap((name) => {
      const score = scores[name]
      return score === null ? [] : [{ name, percentage: score.percentage }]
    })
    .sort((one, other) => other.percentage - one.percentage)
  const [best, worst] = [known[0], known.at(-1)]
  if (best === undefined || worst === undefined || best.percentage === worst.percentage)
    return undefined
  return `Strongest is ${told(best)}, weakest ${told(worst)}.`
}

const told = ({ name, percentage }: { name: Dimension; percentage: number }): string =>
  `${dimensionWords[name].label} (${percent(percentage)})`

function greatestGain({ worstIndicators: [first] }: MeasuredReport): string | undefined {
  if (first === undefined || first.share === null) return undefined
  const { label } = indicatorWords[first.name]
  return `Most is missing from “${label}”: ${percent(first.share)} fulfil it, so ${decimal(first.missing)} of its ${counted(first.points, 'point')} are not reached.`
}
