/** The reports over figures that a test chooses. */

import { pino } from 'pino'
import type { Figures } from '../../../src/metrics/figures/figures-reader.ts'
import { reportsApp } from '../../../src/metrics/reports/report-app.ts'
import { bands, figuresOf, weights } from './figures-double.ts'

const log = pino({ level: 'silent' })

/** Where reports are served. */
export const base = '/api/mqa/reports'

/** The reports without a portal, or with one whose pages are at `/{language}/quality`. */
export const appOf = (figures: Figures = figuresOf(), { hasPortal = false } = {}) =>
  reportsApp({
    figures,
    bands,
    weights,
    portal: 'All catalogues',
    version: '1.0.0',
    pageOf: hasPortal
      ? (_, steps, locale = 'fr') => ['', locale, 'quality', ...steps].join('/')
      : undefined,
    http: { log, base },
  })

export const asked = async (
  path: string,
  { figures, headers = {} }: { figures?: Figures; headers?: Record<string, string> } = {},
): Promise<Response> => appOf(figures).request(`http://localhost${base}${path}`, { headers })

export const textOf = async (path: string, figures?: Figures): Promise<string> =>
  (await asked(path, { ...(figures && { figures }) })).text()
