export declare function whatFailed(output: string): string;
