#include "textflag.h"

// A tile is four rows of a (SI, R8, R9, R10) by two rows of b (DI, R11).
// Y0..Y7 hold its eight sums, sixteen products at a time; Y8 and Y9 hold the
// widened pieces of b, Y10 a piece of a.

#define CLEAR \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1; \
	VPXOR Y2, Y2, Y2; \
	VPXOR Y3, Y3, Y3; \
	VPXOR Y4, Y4, Y4; \
	VPXOR Y5, Y5, Y5; \
	VPXOR Y6, Y6, Y6; \
	VPXOR Y7, Y7, Y7

#define ROW(ptr, acc0, acc1) \
	VMOVDQU  (ptr)(AX*2), Y10; \
	VPMADDWD Y8, Y10, Y11; \
	VPMADDWD Y9, Y10, Y12; \
	VPADDD   Y11, acc0, acc0; \
	VPADDD   Y12, acc1, acc1

#define FOUR_ROWS \
	ROW(SI, Y0, Y1); \
	ROW(R8, Y2, Y3); \
	ROW(R9, Y4, Y5); \
	ROW(R10, Y6, Y7)

// Folds four accumulators into X(out): the sums of a, b, c and d in order.
#define FOLD(a, b, c, d, out, xout, xtmp) \
	VPHADDD      b, a, a; \
	VPHADDD      d, c, c; \
	VPHADDD      c, a, out; \
	VEXTRACTI128 $1, out, xtmp; \
	VPADDD       xtmp, xout, xout

// Rows 0 and 1 of the tile are the halves of X0, rows 2 and 3 those of X4.
#define STORE_TILE \
	FOLD(Y0, Y1, Y2, Y3, Y0, X0, X8); \
	FOLD(Y4, Y5, Y6, Y7, Y4, X4, X9); \
	VMOVQ   X0, (DX); \
	VPEXTRQ $1, X0, (DX)(BX*4); \
	LEAQ    (DX)(BX*8), DX; \
	VMOVQ   X4, (DX); \
	VPEXTRQ $1, X4, (DX)(BX*4); \
	VZEROUPPER

// func avxTile8(dst *int32, stride int, a *int16, b *int8, n int)
TEXT ·avxTile8(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DX
	MOVQ stride+8(FP), BX
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), DI
	MOVQ n+32(FP), CX
	LEAQ (SI)(CX*2), R8
	LEAQ (R8)(CX*2), R9
	LEAQ (R9)(CX*2), R10
	LEAQ (DI)(CX*1), R11
	CLEAR
	XORQ AX, AX

tile8:
	VPMOVSXBW (DI)(AX*1), Y8
	VPMOVSXBW (R11)(AX*1), Y9
	FOUR_ROWS
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       tile8
	STORE_TILE
	RET

// func avxTile16(dst *int32, stride int, a *int16, b *int16, n int)
TEXT ·avxTile16(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DX
	MOVQ stride+8(FP), BX
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), DI
	MOVQ n+32(FP), CX
	LEAQ (SI)(CX*2), R8
	LEAQ (R8)(CX*2), R9
	LEAQ (R9)(CX*2), R10
	LEAQ (DI)(CX*2), R11
	CLEAR
	XORQ AX, AX

tile16:
	VMOVDQU (DI)(AX*2), Y8
	VMOVDQU (R11)(AX*2), Y9
	FOUR_ROWS
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     tile16
	STORE_TILE
	RET

// func avxVec8(dst *int32, a *int16, b *int8, n int)
//
// One row of a (SI) by four rows of b (DI, R8, R9, R10).
TEXT ·avxVec8(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DI
	MOVQ n+24(FP), CX
	LEAQ (DI)(CX*1), R8
	LEAQ (R8)(CX*1), R9
	LEAQ (R9)(CX*1), R10
	CLEAR
	XORQ AX, AX

vec8:
	VMOVDQU   (SI)(AX*2), Y10
	VPMOVSXBW (DI)(AX*1), Y4
	VPMOVSXBW (R8)(AX*1), Y5
	VPMOVSXBW (R9)(AX*1), Y6
	VPMOVSXBW (R10)(AX*1), Y7
	VPMADDWD  Y4, Y10, Y4
	VPMADDWD  Y5, Y10, Y5
	VPMADDWD  Y6, Y10, Y6
	VPMADDWD  Y7, Y10, Y7
	VPADDD    Y4, Y0, Y0
	VPADDD    Y5, Y1, Y1
	VPADDD    Y6, Y2, Y2
	VPADDD    Y7, Y3, Y3
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       vec8
	FOLD(Y0, Y1, Y2, Y3, Y0, X0, X8)
	VMOVDQU   X0, (DX)
	VZEROUPPER
	RET
