/** The configuration page, generated so that it cannot disagree with what is read. */

import { limitNames, limitTable } from '../limits.ts'
import { harvestPage } from './harvest.ts'
import { metricsPage } from './metrics.ts'
import { searchPage } from './search/page.ts'
import { facts, type EnvironmentSchema } from './values.ts'

/** Markdown for the variables of a schema, and what those hold that are JSON. */
export function configurationPage(schema: EnvironmentSchema): string {
  const variables = Object.entries(schema.shape).map(([name, field]) => {
    const known = facts.get(field)
    const text = known?.standard ?? known?.derived
    const standard = text === undefined ? '–' : `\`${text}\``
    return `| \`${name}\` | ${standard} | ${known?.meaning ?? ''} |`
  })
  const limits = limitNames.map((name) => {
    const { standard, least, most, meaning } = limitTable[name]
    return `| \`${name}\` | ${amount(name, standard)} | ${meaning} | ${least}..${most} |`
  })
  return [
    '# Configuration',
    '',
    'Everything is set by environment variables, read once at the start; a blank one counts as absent. All problems are',
    'reported together and the process does not start. A variable of a name that nobody reads is reported as a warning.',
    'This page is generated: `npm run configuration`.',
    '',
    '| variable | default | meaning |',
    '|---|---|---|',
    ...variables,
    '',
    '## Limits',
    '',
    '`PLATFORM_LIMITS` is a JSON object of limit → whole number, such as `{"bodyBytes": 104857600}`. Sizes are bytes, names',
    'that end in `Ms` are milliseconds. A refusal names the limit that was passed.',
    '',
    '| limit | default | of what | range |',
    '|---|--:|---|---|',
    ...limits,
    '',
    ...searchPage,
    ...harvestPage,
    ...metricsPage,
  ].join('\n')
}

function amount(name: string, value: number): string {
  if (name.endsWith('Bytes') && value % 2 ** 20 === 0) return `${value / 2 ** 20} MB`
  if (name.endsWith('Bytes') && value % 2 ** 10 === 0) return `${value / 2 ** 10} KB`
  return name.endsWith('Ms') ? `${value / 1000} s` : String(value)
}
