/** Metadata quality as HTML: the badge with four steps, bars of the five dimensions; and the list of the 23 indicators. */

import { readFileSync } from 'node:fs'
import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { numberAt } from '../record.ts'
import { stateBadge } from './blocks.ts'

/** Steps of quality with their first points (data.europa.eu, Metadata Quality Assessment). */
const steps = [
  { key: 'poor', from: 0 },
  { key: 'sufficient', from: 121 },
  { key: 'good', from: 221 },
  { key: 'excellent', from: 351 },
] as const

/** Indicator as pages show it. */
export type PageIndicator = {
  readonly key: string
  readonly dimension: string
  /** Most points that it gives. */
  readonly most: number
  /** Short name of the class whose resources have the property that it measures. */
  readonly class: string
  /** Short name of the property that it measures. */
  readonly property?: string
  /** Short name of the property that mends it where it measures none by itself. */
  readonly mends?: string
  /** Turtle that fulfils it. */
  readonly example?: string
}

/** All indicators in the order of pages. */
export const pageIndicators: readonly PageIndicator[] = JSON.parse(
  readFileSync(new URL('../assets/indicators.json', import.meta.url), 'utf8'),
)

const pointsOf = (indicators: readonly PageIndicator[]) =>
  indicators.reduce((sum, { most }) => sum + most, 0)

/** Most points of a dataset. */
export const mostPoints = pointsOf(pageIndicators)

/** The five dimensions with their indicators and the most points of each. */
export const qualityDimensions = [...Map.groupBy(pageIndicators, ({ dimension }) => dimension)].map(
  ([key, members]) => ({ key, indicators: members, most: pointsOf(members) }),
)

/** Index of the step that a score reaches, 0 to 3. */
const stepIndexOf = (score: number): number => steps.findLastIndex(({ from }) => score >= from)

/** Message with the points that are missing to the next step; nothing on the last one. */
export function pointsToNextStep({ t }: PageContext, score: number): HtmlContent {
  const next = steps[stepIndexOf(score) + 1]
  if (!next) return false
  const count = Math.ceil(next.from - score)
  return html` · ${t('points-to', { count, step: t(`quality-${next.key}`) })}`
}

/** Badge of the step of a score: four squares and a word; a link where `href` is passed. */
export function qualityBadge({ t }: PageContext, score: number, href?: string): HtmlMarkup {
  const rank = stepIndexOf(score)
  const squares = steps.map(
    (_, at) =>
      html`<rect class="${at <= rank ? 'on' : 'off'}" x="${(at * 10.4).toFixed(1)}" width="8.8" height="8" rx="1.5"/>`,
  )
  const inner = html`<span class="vh">${t('metadata-quality')}: </span>
    <svg viewBox="0 0 40 8" aria-hidden="true">${squares}</svg><span>${t(`quality-${steps[rank]?.key ?? 'poor'}`)}</span>`
  return href === undefined
    ? html`<span class="quality rank-${rank}">${inner}</span>`
    : html`<a class="quality rank-${rank}" href="${href}">${inner}</a>`
}

/** Score in large digits with its unit, and the badge of its step; `beside` follows the badge. */
export const scoreText = (
  context: PageContext,
  score: number,
  unit = context.t('of-points', { count: mostPoints }),
  beside: HtmlContent = false,
): HtmlMarkup =>
  html`<p class="score"><strong>${Math.round(score)}</strong><span class="soft">${unit}</span></p>
    <p>${qualityBadge(context, score)}${beside}</p>`

/** Bar with the share of a score in the most points; the score itself is beside it. */
export const scoreBar = (score: number, style = 'bar'): HtmlMarkup =>
  html`<svg class="${style}" viewBox="0 0 ${mostPoints} 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="${mostPoints}" height="8"/><rect class="fill" width="${score}" height="8"/></svg>`

/** Text of a score beside the bars of its dimensions. */
export const scoreSummary = (text: HtmlContent, bars: HtmlContent): HtmlMarkup =>
  html`<div class="verdict close"><div>${text}</div>${bars}</div>`

/** Text and bars of the mean score of a catalogue; `result` are its figures in the metrics cache. */
export const meanScore = (context: PageContext, result: Fields) => {
  const points = qualityDimensions.map(
    ({ key }) => [key, numberAt(result, `${key}.score.points`)] as const,
  )
  return [
    scoreText(context, numberAt(result, 'score'), context.t('points-on-average')),
    dimensionBars(context, Object.fromEntries(points)),
  ] as const
}

/** Bar for each dimension. `scores` has the points by dimension; `isLinked` links to the dimension on the same page. */
export function dimensionBars({ t }: PageContext, scores: Fields, isLinked = false): HtmlMarkup {
  const rows = qualityDimensions.map(({ key, most }) => {
    const score = Math.round(numberAt(scores, key))
    const share = Math.min(100, Math.round((score / most) * 100))
    const state = share === 0 ? ' none' : share < 60 ? ' low' : ''
    const name = isLinked ? html`<a href="#${key}">${t(key)}</a>` : html`<span>${t(key)}</span>`
    return html`<li>${name}<span class="soft num">${score} / ${most}</span>
      <svg class="bar${state}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="8" />
      <rect class="fill" width="${share === 0 ? 1.5 : share}" height="8" /></svg></li>`
  })
  return html`<ul class="dims" role="list">${rows}</ul>`
}

/** Returns the share that fulfils an indicator, 0 to 1; `undefined` for one that was not measured. */
export type ShareOf = (indicator: string) => number | undefined

/** Badge with yes, no or the percentage that fulfils an indicator. */
export function shareBadge({ t, formats }: PageContext, share: number | undefined): HtmlMarkup {
  if (share === undefined) return stateBadge('idle', t('not-measured'))
  if (share >= 0.999) return stateBadge('good', t('yes'))
  if (share <= 0.001) return stateBadge('bad', t('no'))
  return stateBadge('warn', t('in-part', { share: formats.number(Math.round(share * 1000) / 10) }))
}

/** Badge of a score; nothing where it is no number. */
export const scoreBadge = (context: PageContext, score: unknown): HtmlContent =>
  typeof score === 'number' && qualityBadge(context, score)
