/** The indicators: those with most missing, and all of them with their rules. */

import { dimensions, isReachable, pseudoCodes, type Dimension } from '../../indicators.ts'
import { bar } from '../charts/bar.ts'
import type { IndicatorFigure, MeasuredReport } from '../report.ts'
import { decimal, percent } from '../telling/numbers.ts'
import { dimensionWords, figureRules, indicatorWords } from '../telling/rules.ts'
import { markup, type Markup } from './markup.ts'
import { named, section, share } from './parts.ts'

export const worstIndicators = ({ worstIndicators: figures, indicators }: MeasuredReport): Markup =>
  section(
    { id: 'worst-indicators', title: 'Where most is missing', rule: figureRules.worstIndicators },
    figures.length === 0
      ? markup`<p class="note">${indicators.some((one) => one.share !== null) ? 'Nothing: every indicator that was measured is fulfilled everywhere.' : 'No indicator was measured.'}</p>`
      : markup`
<table>
<caption class="unseen">Indicators with the most points missing</caption>
<thead><tr><th scope="col">Indicator</th><th scope="col" class="inner">Dimension</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">Fulfilled</th><th scope="col" class="number">Points missing</th></tr></thead>
<tbody>
${figures.map(
  (
    figure,
  ) => markup`<tr>${named(indicatorWords[figure.name])}<td class="inner">${dimensionWords[figure.dimension].label}</td><td>${bar(figure.share)}</td><td class="number">${share(figure.share)}</td><td class="number">${decimal(figure.missing)}<span class="of"> of ${figure.points}</span></td></tr>
`,
)}</tbody>
</table>`,
  )

export const allIndicators = ({ indicators }: MeasuredReport): Markup =>
  section(
    { id: 'indicators', title: 'Every indicator and its rule', rule: figureRules.indicators },
    markup`
<table class="rules">
<caption class="unseen">Indicators by dimension</caption>
<thead><tr><th scope="col">Indicator</th><th scope="col" class="number">Points</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">Fulfilled</th></tr></thead>
${dimensions.map((name) => group(name, indicators))}
</table>`,
  )

const group = (name: Dimension, figures: readonly IndicatorFigure[]): Markup => markup`<tbody>
<tr class="group"><th scope="rowgroup" colspan="4">${dimensionWords[name].label}</th></tr>
${figures
  .filter(({ dimension }) => dimension === name)
  .map(
    (
      figure,
    ) => markup`<tr>${named(indicatorWords[figure.name])}<td class="number">${figure.points}</td><td>${bar(figure.share)}${codes(figure)}</td><td class="number">${share(figure.share)}</td></tr>
`,
  )}</tbody>
`

/** The most frequent bad answers of URLs. */
const mostCodes = 3

function codes({ codes: shares }: IndicatorFigure): Markup | undefined {
  const bad = shares.filter(({ name }) => !isReachable(Number(name)))
  if (bad.length === 0) return undefined
  const told = bad
    .slice(0, mostCodes)
    .map((one) => `${statusName(one.name)} ${percent(one.percentage)}`)
  return markup`<span class="rule">${[...told, ...(bad.length > mostCodes ? ['…'] : [])].join(', ')}</span>`
}

/** A status code, or what stands for none. */
export function statusName(code: string | number): string {
  if (Number(code) === pseudoCodes.connectionFailure) return 'no connection'
  if (Number(code) === pseudoCodes.invalidUrl) return 'no valid URL'
  return String(code)
}
