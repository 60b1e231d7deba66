/** Labels of two categories of high-value datasets, as the table that comes with the product has them. */

export const earthLabels = {
  en: 'Earth observation and environment',
  de: 'Erdbeobachtung und Umwelt',
  fr: 'Observation de la terre et environnement',
  it: "Dati relativi all'osservazione della terra e all'ambiente",
}

export const geospatialLabels = {
  en: 'Geospatial',
  de: 'Georaum',
  fr: 'Géospatiales',
  it: 'Dati geospaziali',
}
