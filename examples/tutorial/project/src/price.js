/** The price after a discount in percent; prices are in cents. */
export const discounted = (cents, percent) => Math.round(cents - cents * percent)
