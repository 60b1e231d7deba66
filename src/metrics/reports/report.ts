/** A report as a thing of its own: what HTML, CSV and JSON tell in their ways. */

import type { BrokenRule, Listed, Page, Shares, UnreachableHost } from '../figures/figures.ts'
import type { Dimension, Indicator, IndicatorName } from '../indicators.ts'
import type { Band } from './bands.ts'
import type { Dimensions, Points } from './points.ts'
import type { LocalText } from '../localized-texts.ts'

export type Report = {
  /** Whose report; a catalogue has an id. */
  readonly subject: {
    readonly id?: string
    readonly title: LocalText
    readonly description?: LocalText
  }
  /** Language of the texts of others. */
  readonly locale: string
  /** `undefined` before the first refresh. */
  readonly refreshed: { readonly at: Date; readonly number: number } | undefined
  /** Highest score. */
  readonly most: number
  readonly bands: readonly Band[]
  /** Absent where only the list of catalogues goes on, and where nothing was measured yet. */
  readonly measured?: MeasuredReport
  /** Of the portal only. */
  readonly catalogues?: CatalogueList
}

export type MeasuredReport = {
  /** `null`: measured but not scored. */
  readonly score: number | null
  readonly band: Band | undefined
  /** All datasets, those that were measured, and their distributions. */
  readonly all: number
  readonly datasets: number
  readonly distributions: number
  readonly byBand: readonly { readonly band: Band; readonly datasets: number }[]
  readonly dimensions: Dimensions
  /** Ascending. */
  readonly history: readonly Moment[]
  readonly indicators: readonly IndicatorFigure[]
  /** What would bring most comes first. */
  readonly worstIndicators: readonly IndicatorFigure[]
  readonly violations: readonly RuleFigure[]
  readonly hosts: readonly UnreachableHost[]
  readonly worst: readonly DatasetRow[]
  readonly best: readonly DatasetRow[]
}

export type Moment = {
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly score: number | null
  readonly dimensions: Dimensions
}

export type IndicatorFigure = {
  readonly name: IndicatorName
  readonly dimension: Dimension
  readonly type: Indicator['type']
  readonly points: number
  /** Percent that fulfil it; `null` when it was not measured. */
  readonly share: number | null
  /** Points times the share that does not fulfil it. */
  readonly missing: number
  /** Of URLs: the status codes and their shares, the largest first. */
  readonly codes: Shares
}

export type RuleFigure = BrokenRule & { readonly message: LocalText }

export type DatasetRow = {
  readonly id: string
  readonly iri: string
  readonly title: LocalText
  readonly catalogue: string
  readonly score: number | null
  readonly band: Band | undefined
  readonly points: Points
}

export type CatalogueRow = {
  readonly id: string
  readonly title: LocalText
  /** Measured ones. */
  readonly datasets: number
  readonly score: number | null
  readonly band: Band | undefined
  readonly points: Points
}

export type Order = 'best' | 'worst'

export type CatalogueList = Listed<CatalogueRow> & { readonly page: Page; readonly order: Order }
