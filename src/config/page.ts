/** The configuration page, generated so that it cannot disagree with what is read. */

import { limitNames, limitTable } from '../http/limits.ts'
import { harvestPage } from './harvest.ts'
import { metricsPage } from './metrics.ts'
import { facts, type EnvironmentSchema } from './settings.ts'

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

/** The part about `PLATFORM_SEARCH_CONFIG`. */
const searchPage: readonly string[] = [
  '## Search',
  '',
  '`PLATFORM_SEARCH_CONFIG` is a JSON object; every key may be absent. A changed configuration fills the index anew in the',
  'background, while the old one answers.',
  '',
  '| key | default | meaning |',
  '|---|---|---|',
  '| `vocabulary` | `{}` | vocabulary id → `{"fields", "replacements", "documentTypes"}`: fields whose value is the IRI of a concept of that vocabulary are filled from it |',
  '| `vocabulary.*.fields` | – | names of fields, found at any depth (`license` also means `distributions.license`); a dotted name is exact |',
  '| `vocabulary.*.replacements` | – | `"target:source"`: key of the field, dotted path in the indexed concept (`"name:pref_label.en"`; `"label:pref_label"` is the whole language map) |',
  '| `vocabulary.*.documentTypes` | `["dataset","catalogue"]` | indices whose records are filled: `dataset`, `catalogue`, `resource_<type>` |',
  '| `facets` | the default facets | the facets in the order of answers: the name of a default one, or an object as below |',
  '| `boost` | `{}` | field → weight in the ranking, used where a request gives none: `{"title":5}` |',
  '| `maxAggSize` | `50` | most items of a facet, 1..10000; custom types have their own in the profile |',
  '| `maxResultWindow` | `10000` | hits reachable by `page`, 1..1000000; custom types have their own in the profile |',
  '| `sitemapHours` | `24` | hours after which the sitemap is made anew, 1..8760 |',
  '| `reconcileHours` | `24` | hours between two comparisons of index and store, which mend the index and stand in `/health` and `/metrics`; up to an hour more by chance; 0..8760, 0 = only the console command `reconcile` |',
  '| `dateType` | `{}` | index → `issued`, `modified` or `temporal`: what `minDate` and `maxDate` limit where a request does not say it; `issued` for other indices, and where several are searched that differ |',
  '| `nonCountries` | `["eu","io"]` | values of `country.id` that `countryData` does not take for countries |',
  '| `scoreField` | `quality_meas.scoring` | the number that `minScoring` and `maxScoring` limit |',
  '| `portal` | – | start of the addresses that feeds and sitemap give people, and to which IRIs of resources lead browsers: `{portal}datasets/{id}?locale={language}`; without it feeds and sitemap lead to the descriptions of the records |',
  '',
  'A facet of your own: `{"name":"theme","title":"Themes","path":"categories"}`. `name` is its id in requests, `path` the field;',
  '`indices` where it is counted (default `["dataset"]`), `aggregation_term` the key of the value that is compared (default `id`,',
  '`""` for plain values), `display_title` the key that is shown (default `label`), `kind` one of `values` (default), `exists`,',
  '`bands` with `bands: [{"id","title","from","to"}]`, `scope`, `catalogue`, `parent`, `vocabulary`. What an object with the name',
  'of a default facet does not say is as there. `.raw` behind a term or path is cut off. An object that the profile cannot serve',
  'stops the start; a default facet that it cannot serve is left out and named in the log. Default facets that are not listed',
  'are not shown, but can be filtered by.',
  '',
  '```json',
  '{ "vocabulary": { "publishers": { "fields": ["publisher"],',
  '    "replacements": ["name:pref_label.en", "homepage:extensions.foaf_homepage", "resource:resource"] } },',
  '  "facets": ["country", "catalog", { "name": "theme", "title": "Themes", "path": "categories" }],',
  '  "boost": { "title": 5 } }',
  '```',
  '',
]
