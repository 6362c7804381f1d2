export const rounding = "each line";
