/** Subjects of other vocabularies, as codes of the EU data themes. */
import { squashed } from './spellings.ts'

/** INSPIRE theme → data themes (alignment of SEMIC). */
const inspire: Readonly<Record<string, string>> = {
  ad: 'REGI',
  rs: 'REGI',
  gg: 'REGI',
  gn: 'REGI',
  el: 'REGI',
  bu: 'REGI',
  cp: 'REGI ECON',
  ge: 'REGI TECH',
  oi: 'REGI TECH',
  ps: 'ENVI',
  lc: 'ENVI',
  am: 'ENVI',
  ac: 'ENVI',
  br: 'ENVI',
  ef: 'ENVI',
  hb: 'ENVI',
  nz: 'ENVI',
  of: 'ENVI',
  sr: 'ENVI',
  so: 'ENVI',
  sd: 'ENVI',
  hy: 'ENVI TECH',
  mf: 'ENVI TECH',
  lu: 'ENVI ECON',
  mr: 'ENVI ECON ENER',
  au: 'GOVE',
  us: 'GOVE',
  tn: 'TRAN',
  af: 'AGRI',
  er: 'ENER',
  hh: 'HEAL',
  pd: 'SOCI',
  su: 'SOCI',
  pf: 'ECON',
}

/** ISO 19115 topic → INSPIRE themes. */
const topics: Readonly<Record<string, string>> = {
  biota: 'br hb sd',
  boundaries: 'au su',
  climatologymeteorologyatmosphere: 'ac mf',
  economy: 'er mr',
  elevation: 'el',
  environment: 'ps',
  farming: 'af',
  geoscientificinformation: 'ge nz so',
  health: 'hh',
  imagerybasemapsearthcover: 'lc oi',
  inlandwaters: 'hy',
  location: 'ad gn',
  oceans: 'of sr',
  planningcadastre: 'am cp lu',
  society: 'pd',
  structure: 'bu ef pf',
  transportation: 'tn',
  utilitiescommunication: 'us',
}

const themesOf = (codes: string) =>
  codes.split(' ').flatMap((code) => inspire[code]?.split(' ') ?? [])

/** Codes of the EU data themes for an INSPIRE theme's IRI or an ISO topic. */
export function foreignThemes(text: string): readonly string[] {
  const code = /^https?:\/\/inspire\.ec\.europa\.eu\/theme\/([a-z]{2})\/?$/i
    .exec(text)?.[1]
    ?.toLowerCase()
  if (code !== undefined && Object.hasOwn(inspire, code)) return themesOf(code)
  const name = squashed(
    text.replace(/^https?:\/\/inspire\.ec\.europa\.eu\/metadata-codelist\/TopicCategory\//i, ''),
  )
  return Object.hasOwn(topics, name) ? [...new Set(themesOf(topics[name] ?? ''))] : []
}
