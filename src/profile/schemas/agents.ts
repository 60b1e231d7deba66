/** The JSON of persons, organisations and contact points, as schemas. */

import { languageMap, list, object, text, type JsonSchema } from './json-schema.ts'

const agent = (name: JsonSchema) =>
  object(
    'A person or organisation',
    {
      type: { enum: ['Agent', 'Person', 'Organization'] },
      name,
      email: text('Mail address as mailto: IRI'),
      homepage: text('Address of the home page'),
      resource: text('IRI'),
    },
    ['type'],
  )

/** Schemas by mapping class. */
export const agents = {
  Agent: agent(text('Name, English where there is one')),
  AgentMultiLang: agent(languageMap('Names by language key')),
  ContactPoint: object(
    'Where to send questions',
    {
      type: { enum: ['Kind', 'Individual', 'Organization', 'Group'] },
      name: text('Name'),
      email: text('Mail address as mailto: IRI'),
      telephone: text('Telephone number as given'),
      address: text('Postal address on one line'),
      url: list(text('Address of a page')),
      organisation_name: text('Name of the organisation'),
      resource: text('IRI'),
    },
    ['type'],
  ),
} satisfies Readonly<Record<string, JsonSchema>>
