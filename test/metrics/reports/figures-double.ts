/** Figures of a small portal, every part of which a test can replace. */

import type {
  Aggregate,
  BrokenRule,
  CatalogueFigures,
  DatasetFigures,
  MetricName,
  PageRange,
  Scope,
  Shares,
  HistorySnapshot,
  UnreachableHost,
} from '../../../src/metrics/figures/figures.ts'
import type { Figures } from '../../../src/metrics/figures/figures-reader.ts'
import type { LocalizedTexts } from '../../../src/metrics/localized-texts.ts'
import type { Weights } from '../../../src/metrics/measure/weights.ts'
import { dimensions, indicators, type Dimension } from '../../../src/metrics/indicators.ts'

export const bands = [
  { id: 'excellentScoring', title: 'Excellent', from: 351, to: 405 },
  { id: 'goodScoring', title: 'Good', from: 221, to: 350 },
  { id: 'sufficientScoring', title: 'Sufficient', from: 121, to: 220 },
  { id: 'badScoring', title: 'Bad', from: 0, to: 120 },
] as const

export const weights: Weights = Object.fromEntries(
  indicators.map(({ name, dimension, points }) => [name, { dimension, yes: points, no: 0 }]),
) as Weights

const maxima: Readonly<Record<Dimension, number>> = {
  findability: 100,
  accessibility: 100,
  interoperability: 110,
  reusability: 75,
  contextuality: 20,
}

const byDimension = <T>(make: (name: Dimension) => T) =>
  Object.fromEntries(dimensions.map((name) => [name, make(name)])) as Record<Dimension, T>

export const yesNo = (yes: number): Shares => [
  { name: 'yes', percentage: yes },
  { name: 'no', percentage: Math.round((100 - yes) * 10) / 10 },
]

const metricNames: readonly MetricName[] = [
  ...indicators.map(({ name }) => name),
  'accessUrlAccessibility',
  'downloadUrlAccessibility',
]

/** Yes shares: what is not said is fulfilled everywhere. */
export const shares: Partial<Record<MetricName, Shares | null>> = {
  keywordAvailability: yesNo(97.5),
  temporalAvailability: yesNo(31.4),
  accessUrlStatusCode: [
    { name: '200', percentage: 91.2 },
    { name: '404', percentage: 6.1 },
    { name: '1100', percentage: 1.9 },
    { name: '1300', percentage: 0.5 },
    { name: '500', percentage: 0.3 },
  ],
  accessUrlAccessibility: yesNo(91.2),
  downloadUrlAvailability: yesNo(85.7),
  downloadUrlStatusCode: [
    { name: '200', percentage: 96 },
    { name: '404', percentage: 4 },
  ],
  downloadUrlAccessibility: yesNo(96),
  mediaTypeAvailability: yesNo(62.3),
  formatMediaTypeVocabularyAlignment: yesNo(44.8),
  formatMediaTypeNonProprietary: yesNo(81),
  dcatApCompliance: yesNo(80.3),
  licenceAvailability: yesNo(90.5),
  knownLicence: yesNo(81),
  accessRightsVocabularyAlignment: yesNo(72),
  rightsAvailability: yesNo(12),
  byteSizeAvailability: yesNo(40.2),
}

export const aggregateOf = (
  score: number | null,
  metrics: Partial<Record<MetricName, Shares | null>> = shares,
): Aggregate => ({
  score,
  dimensions: byDimension((name) => {
    if (score === null) return null
    const max = maxima[name]
    const share = Math.min(1, (score / 405) * (name === 'contextuality' ? 0.8 : 1.04))
    return { points: Math.round(share * max), percentage: Math.round(share * 1000) / 10, max }
  }),
  metrics: Object.fromEntries(
    metricNames.map((name) => [name, name in metrics ? metrics[name] : yesNo(100)]),
  ) as Aggregate['metrics'],
})

export const catalogueOf = (id: string, titles: LocalizedTexts): CatalogueFigures => ({
  id,
  titles,
  descriptions: { en: `What ${id} publishes.` },
  languages: ['de'],
  country: 'DEU',
  type: 'dcat-ap',
})

export const datasetOf = (
  id: string,
  score: number | null,
  titles: LocalizedTexts = { en: `Dataset ${id}` },
): DatasetFigures => ({
  id,
  iri: `https://data.example.org/set/data/${id}`,
  catalogue: 'city',
  titles,
  languages: ['de'],
  score,
  points: aggregateOf(score).dimensions === null ? byDimension(() => null) : pointsFor(score),
})

const pointsFor = (score: number | null) =>
  byDimension((name) => aggregateOf(score).dimensions[name]?.points ?? null)

export const months = (scores: readonly (number | null)[]): readonly HistorySnapshot[] =>
  scores.map((score, month) => ({
    day: new Date(Date.UTC(2025, month + 1, 0)).toISOString().slice(0, 10),
    aggregate: aggregateOf(score),
  }))

export const rules: readonly BrokenRule[] = [
  {
    path: 'http://purl.org/dc/terms/format',
    component: 'NodeKindConstraintComponent',
    severity: 'Violation',
    count: 812,
    datasets: 197,
    messages: { en: 'The value is no IRI.', de: 'Der Wert ist keine IRI.' },
  },
  {
    path: 'http://www.w3.org/ns/dcat#contactPoint',
    component: 'MinCountConstraintComponent',
    severity: 'Warning',
    count: 45,
    datasets: 45,
    messages: { en: 'At least one value is needed.' },
  },
  {
    path: null,
    component: null,
    severity: 'Violation',
    count: 1,
    datasets: 1,
    messages: {},
  },
]

export const hosts: readonly UnreachableHost[] = [
  { host: 'old-maps.example.org', urls: 104, datasets: 61, status: 404 },
  { host: 'wms.example.net', urls: 12, datasets: 12, status: 1100 },
  { host: '', urls: 2, datasets: 1, status: 1300 },
]

type Parts = {
  readonly catalogues?: readonly CatalogueFigures[]
  readonly score?: number | null
  readonly metrics?: Partial<Record<MetricName, Shares | null>>
  readonly history?: readonly HistorySnapshot[]
  readonly worst?: readonly DatasetFigures[]
  readonly best?: readonly DatasetFigures[]
  readonly rules?: readonly BrokenRule[]
  readonly hosts?: readonly UnreachableHost[]
  /** Nothing was measured: no datasets, all of them unknown. */
  readonly unmeasured?: boolean
  readonly refreshed?: { readonly at: Date; readonly number: number } | undefined
}

const city = catalogueOf('city', { en: 'City of Example', de: 'Stadt Beispiel' })

/** Everything that is not given is that of a portal with a catalogue `city` and a history of twelve months. */
export function figuresOf(parts: Parts = {}): Figures {
  const { catalogues = [city], score = 287, history, unmeasured = false } = parts
  const known = (scope: Scope) =>
    typeof scope === 'string' || !('catalogue' in scope) || find(scope.catalogue) !== undefined
  const find = (id: string) => catalogues.find((one) => one.id === id)
  const past = history ?? months([212, 218, 230, 229, 241, 247, 246, 255, 262, 270, 281, 287])
  const worst = parts.worst ?? [40, 95, 118, 119, 133].map((one) => datasetOf(`low-${one}`, one))
  const best = parts.best ?? [405, 400, 395, 380, 380].map((one, n) => datasetOf(`top-${n}`, one))
  const cut = <T>(rows: readonly T[], { offset, limit }: PageRange) => ({
    count: rows.length,
    rows: rows.slice(offset, offset + limit),
  })
  return {
    refreshed: () =>
      'refreshed' in parts ? parts.refreshed : { at: new Date('2026-11-22T04:30:00Z'), number: 7 },
    catalogues: () => catalogues,
    countries: () => ['DEU'],
    publishers: (page) => cut([], page),
    catalogue: find,
    publisher: () => undefined,
    aggregate: (scope) =>
      known(scope)
        ? unmeasured
          ? aggregateOf(null, Object.fromEntries(metricNames.map((name) => [name, null])))
          : aggregateOf(score, parts.metrics)
        : undefined,
    measured: (scope) =>
      known(scope)
        ? {
            all: 1250,
            datasets: unmeasured ? 0 : 1204,
            distributions: unmeasured ? 0 : 3187,
            bands: bands.map(({ id }, place) => ({
              id,
              datasets: unmeasured ? 0 : ([212, 640, 301, 51][place] ?? 0),
            })),
          }
        : undefined,
    history: (_, { resolution }) => (unmeasured || resolution === 'year' ? [] : past),
    best: (_, limit) => best.slice(0, limit),
    worst: (_, limit) => worst.slice(0, limit),
    violations: (_, page) => cut([], page),
    unreachable: (_, page) => cut([], page),
    violationsByRule: (_, limit) => (parts.rules ?? rules).slice(0, limit),
    unreachableByHost: (_, limit) => (parts.hosts ?? hosts).slice(0, limit),
    rankedCatalogues: (order, page) =>
      cut(
        (order === 'best' ? catalogues : catalogues.toReversed()).map((catalogue) => ({
          catalogue,
          score: unmeasured ? null : score,
          datasets: unmeasured ? 0 : 1204,
          dimensions: aggregateOf(unmeasured ? null : score).dimensions,
        })),
        page,
      ),
  }
}
