/** The reports over figures that a test chooses. */

import { pino } from 'pino'
import { defaultPortal, type PortalConfig } from '../../../src/config/portal.ts'
import type { Figures } from '../../../src/metrics/figures/figures-reader.ts'
import { reportsApp } from '../../../src/metrics/reports/report-app.ts'
import type { ReportContext } from '../../../src/metrics/reports/report.ts'
import { wantedLanguage } from '../../../src/portal/negotiation.ts'
import { bands, figuresOf, weights } from './figures-double.ts'

const log = pino({ level: 'silent' })

export const groundOf = (figures: Figures = figuresOf()): ReportContext => ({
  figures,
  bands,
  weights,
  portal: 'All catalogues',
})

export const appOf = (figures?: Figures, portal: Partial<PortalConfig> = {}) =>
  reportsApp({
    ...groundOf(figures),
    version: '1.0.0',
    names: { de: 'Alle Kataloge der Stadt' },
    languageOf: (c) => wantedLanguage(c, { ...defaultPortal, ...portal }),
    http: { log, base: '/api/mqa/reports' },
  })

export async function asked(
  path: string,
  { figures, headers = {} }: { figures?: Figures; headers?: Record<string, string> } = {},
): Promise<Response> {
  return appOf(figures).request(`http://localhost/api/mqa/reports${path}`, { headers })
}

export const textOf = async (path: string, figures?: Figures): Promise<string> =>
  (await asked(path, { ...(figures && { figures }) })).text()

/** What a page says, without its markup; good enough for markup that we wrote ourselves. */
export const wordsOf = (page: string): string =>
  page
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

/** The part of a page under one heading. */
export function sectionOf(page: string, id: string): string {
  const start = page.indexOf(`<section id="${id}"`)
  if (start < 0) throw new Error(`the page has no section ${id}`)
  return page.slice(start, page.indexOf('</section>', start))
}
