/** Values with few codes, as sources write them: how often a dataset changes, who may use it, and which country it is about. */

import { conceptIri, type Authorities } from './authorities.ts'
import { authority } from './concept.ts'
import { squashed } from './concept-table.ts'
import { saidText } from './loose-values.ts'

/**
 * Code of the EU frequency table: ISO 8601 durations, and words of English, German and French portals, of Dublin Core and of uData;
 * the words squashed.
 */
const frequencies = `
UPDATE_CONT: PT1S continuous continual realtime continuouslyupdated continuously kontinuierlich fortlaufend tempsreel
CONT: severaltimesaday fourtimesaday multipletimesperday
1MIN: PT1M oneminute everyminute
5MIN: PT5M fiveminutes everyfiveminutes
10MIN: PT10M tenminutes everytenminutes
15MIN: PT15M fifteenminutes everyfifteenminutes
30MIN: PT30M thirtyminutes everythirtyminutes everyhalfhour
HOURLY: PT1H hourly stündlich horaire everyhour
BIHOURLY: PT2H bihourly everytwohours
TRIHOURLY: PT3H trihourly everythreehours
12HRS: twelvehours everytwelvehours
DAILY: P1D PT24H daily täglich quotidien quotidienne everyday giornaliera diaria diario
DAILY_2: PT12H twiceaday semidaily twicedaily
DAILY_3: PT8H threetimesaday
WEEKLY: P1W P7D weekly wöchentlich hebdomadaire everyweek settimanale semanal
WEEKLY_2: P3.5D P0.5W semiweekly twiceaweek
WEEKLY_3: P0.33W threetimesaweek
WEEKLY_5: fivetimesaweek
BIWEEKLY: P2W P14D biweekly fortnightly fortnighly vierzehntägig everytwoweeks
MONTHLY: P1M monthly monatlich mensuel mensuelle everymonth mensile mensual
MONTHLY_2: P0.5M semimonthly twiceamonth
MONTHLY_3: P0.33M threetimesamonth
BIMONTHLY: P2M bimonthly everytwomonths zweimonatlich
QUARTERLY: P3M quarterly vierteljährlich quartalsweise trimestriel trimestrielle trimestrale trimestral
ANNUAL_3: P4M threetimesayear
ANNUAL_2: P6M P0.5Y semiannual biannual semiannually biannually twiceayear halbjährlich semestriel semestrielle semestrale semestral
ANNUAL: P1Y P12M annual annually yearly jährlich annuel annuelle annuale anual everyyear
BIENNIAL: P2Y biennial everytwoyears zweijährlich
TRIENNIAL: P3Y triennial everythreeyears
QUADRENNIAL: P4Y quadrennial everyfouryears
QUINQUENNIAL: P5Y quinquennial everyfiveyears
DECENNIAL: P10Y decennial everytenyears
IRREG: irregular unregelmäßig unregelmässig irregulär irrégulière
AS_NEEDED: asneeded punctual beibedarf onrequest ponctuelle
NEVER: never nie jamais
NOT_PLANNED: notplanned
UNKNOWN: unknown unbekannt inconnue inconnu
OTHER: other
BIDECENNIAL: P20Y
TRIDECENNIAL: P30Y
`

const frequencyCodes = new Map(
  frequencies
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [code = '', words = ''] = line.split(': ')
      return words.split(' ').map((word) => [word, code] as const)
    }),
)

/** The concept of a duration (`R/P1Y`, `P1M`), of a word, or of a name of the table. */
export function frequencyOf(value: unknown, authorities: Authorities): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const own = authorities.table('frequency').bySimilarIri(text)?.iri
  const duration = text
    .trim()
    .toUpperCase()
    .replace(/^R\d*\//, '')
  const code =
    frequencyCodes.get(duration) ?? frequencyCodes.get(squashed(text.replace(/^.*[/#]/, '')))
  return (
    own ??
    (code === undefined
      ? conceptIri('frequency', text, authorities)
      : `${authority}frequency/${code}`)
  )
}

const access: Readonly<Record<string, string>> = {
  public: 'PUBLIC',
  open: 'PUBLIC',
  openaccess: 'PUBLIC',
  openwithaccount: 'PUBLIC',
  restricted: 'RESTRICTED',
  restrictedpublic: 'RESTRICTED',
  nonpublic: 'NON_PUBLIC',
  private: 'NON_PUBLIC',
  confidential: 'NON_PUBLIC',
}

/** The concept of an access right: what portals call it, or a name of the table. */
export function accessOf(value: unknown, authorities: Authorities): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const word = squashed(text)
  const code = Object.hasOwn(access, word) ? access[word] : undefined
  return code === undefined
    ? conceptIri('accessRight', text, authorities)
    : `${authority}access-right/${code}`
}

/** Codes that other lists than ISO 3166 use. */
const countries: Readonly<Record<string, string>> = { uk: 'gb', el: 'gr' }

/** The concept of a country: its code of two or three letters, or a name in any language. */
export function countryOf(value: unknown, authorities: Authorities): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const alpha2 = text.toLowerCase()
  const code = Object.hasOwn(countries, alpha2) ? (countries[alpha2] ?? alpha2) : alpha2
  return (
    authorities.table('country').byAlpha2(code)?.iri ?? conceptIri('country', text, authorities)
  )
}
